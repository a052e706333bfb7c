import { Table } from './parts.tsx'

/** A method in the console. */
export type ConsoleMethod = { name: string; summary: string }

/** A form for any method: the client script fills it from /openrpc.json. */
export function Console({
  methods,
  origin,
}: {
  methods: readonly ConsoleMethod[]
  origin: string
}) {
  return (
    <>
      <form id="console" data-url={origin} hidden>
        <p class="inline">
          <label for="method">Method</label>
          <select id="method" name="method">
            {methods.map(({ name }) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </p>
        <p id="summary"></p>
        <div id="params"></div>
        <button type="submit">Send</button>
      </form>
      <section id="result" aria-live="polite" hidden>
        <h2>Answer</h2>
        <p id="timing"></p>
        <pre class="raw" tabindex={0} id="answer"></pre>
        <div id="readable"></div>
        <div id="native-calls"></div>
      </section>
      <section id="request" hidden>
        <h2>The same request</h2>
        <div id="code"></div>
      </section>
      <Table caption="Methods" head={['Method', 'What it answers']}>
        {methods.map(({ name, summary }) => (
          <tr>
            <td>
              <a href={`#${name}`} data-method={name}>
                <code>{name}</code>
              </a>
            </td>
            <td>{summary}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
