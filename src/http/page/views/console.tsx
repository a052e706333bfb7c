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
  const groups = new Map<string, ConsoleMethod[]>()
  for (const method of methods) {
    const name = method.name.split('_')[0] ?? ''
    groups.set(name, [...(groups.get(name) ?? []), method])
  }
  return (
    <div class="console">
      <nav class="panel methods" aria-label="Methods">
        <p class="field needs-script">
          <label for="filter">Filter {methods.length} methods</label>
          <input
            id="filter"
            type="search"
            placeholder="balance"
            autocomplete="off"
            spellcheck={false}
          />
        </p>
        {[...groups].toSorted(ethFirst).map(([name, members]) => (
          <details open={name === 'eth'} data-group>
            <summary>
              {name} <span class="quiet">{members.length}</span>
            </summary>
            <ul class="plain">
              {members.map(({ name, summary }) => (
                <li data-search={`${name} ${summary}`.toLowerCase()}>
                  <a href={`#${name}`} title={summary}>
                    <code>{name}</code>
                  </a>
                </li>
              ))}
            </ul>
          </details>
        ))}
      </nav>
      <div>
        <p class="notice no-script">The console needs JavaScript.</p>
        <form id="console" class="panel" data-url={origin} hidden>
          <h2 id="method"> </h2>
          <p id="summary" class="quiet"></p>
          <p id="missing" class="quiet" hidden>
            An empty field has no example: this chain has no such transaction, contract, account or
            filter yet.
          </p>
          <div id="params"></div>
          <p class="inline">
            <button type="submit">Send</button>
            <button type="button" class="quiet" id="link">
              Copy link
            </button>
          </p>
        </form>
        <section id="result" class="panel" aria-live="polite" hidden>
          <h2>
            Answer <small id="timing" class="quiet"></small>
          </h2>
          <div id="readable"></div>
          <pre class="raw" tabindex={0} id="answer"></pre>
          <div id="native-calls"></div>
        </section>
        <section id="request" class="panel" hidden>
          <h2>The same request</h2>
          <div id="code"></div>
        </section>
      </div>
    </div>
  )
}

function ethFirst([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return Number(b === 'eth') - Number(a === 'eth')
}
