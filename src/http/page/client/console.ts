import { copyText } from './copy.ts'
import { create, each, find } from './dom.ts'
import { examplesOf, liveExamples, type MethodDoc } from './examples.ts'
import { type RpcAnswer, rpc } from './pageRpc.ts'
import { readings } from './readings.ts'

/** The result of `ethgate_explain`. Times are in milliseconds. */
type Explanation = {
  result?: unknown
  error?: RpcAnswer['error']
  ms: number
  calls: { operation: string; ms: number; outcome: string; upstream?: string }[]
}

/** The console: a form for each method, its answer, and the same request as code. */
export function startConsole(): void {
  const form = document.querySelector<HTMLFormElement>('#console')
  if (form) void loadConsole(form)
}

async function loadConsole(form: HTMLFormElement): Promise<void> {
  const { methods: docs } = (await (await fetch('/openrpc.json')).json()) as {
    methods: MethodDoc[]
  }
  const methods = new Map(docs.map((method) => [method.name, method]))
  let live = await liveExamples()
  const kept = new Map<string, unknown>()
  let chosen: MethodDoc | undefined

  /** Shows the form of a method. @param given - values of a link, instead of the examples */
  function choose(name: string, given?: readonly unknown[]): void {
    chosen = methods.get(name)
    if (!chosen) return
    const values = given ?? examplesOf(chosen, live)
    find('#method').replaceChildren(create('code', {}, name))
    find('#summary').textContent = chosen.summary ?? ''
    find('#params').replaceChildren(
      ...chosen.params.map((param, index) => field(param, index, values[index])),
    )
    const isMissing = chosen.params.some(
      ({ required }, index) => required && values[index] === undefined,
    )
    find('#missing').hidden = !isMissing
    find('#result').hidden = true
    each('.methods a', (link) => {
      if (link.textContent === name) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    })
    showCode()
  }

  function params(): unknown[] {
    const values = [...form.querySelectorAll<HTMLInputElement>('#params input')].map(({ value }) =>
      parameter(value.trim()),
    )
    while (values.length > 0 && values.at(-1) === undefined) values.pop()
    return values.map((value) => value ?? null)
  }

  async function sendChosen({ name }: MethodDoc): Promise<void> {
    const result = await send(name, params())
    // A transaction or a block gives the examples new values; a new filter is the example of the methods that take one.
    live = await liveExamples()
    if (name.startsWith('eth_new')) kept.set('id', result)
    for (const [key, value] of kept) live.set(key, value)
  }

  function showCode(): void {
    const url = form.dataset['url'] ?? location.origin
    find('#code').replaceChildren(
      ...codeOf(url, chosen?.name ?? '', params()).map(([label, code]) => snippet(label, code)),
    )
    find('#request').hidden = false
  }

  /** Reads the method, and the parameters if there are any, from the address: `#name` or `#name=[…]`. */
  function fromAddress(): void {
    const [name = '', list] = decodeURIComponent(location.hash.slice(1)).split(/=(.*)/s)
    let given: unknown
    try {
      given = list === undefined ? undefined : JSON.parse(list)
    } catch {
      // A link that was cut shows the examples.
    }
    choose(methods.has(name) ? name : 'eth_blockNumber', Array.isArray(given) ? given : undefined)
  }

  window.addEventListener('hashchange', fromAddress)
  form.addEventListener('input', showCode)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (chosen) void sendChosen(chosen)
  })
  const link = find<HTMLButtonElement>('#link')
  link.addEventListener('click', () => {
    const hash = `#${chosen?.name}=${encodeURIComponent(JSON.stringify(params()))}`
    history.replaceState(null, '', hash)
    void copyText(link, location.href)
  })
  find('#filter').addEventListener('input', ({ target }) =>
    filter((target as HTMLInputElement).value.trim().toLowerCase()),
  )
  form.hidden = false
  fromAddress()
}

/** Shows the methods whose name or summary has a text, in open groups. */
function filter(text: string): void {
  each('[data-search]', (item) => (item.hidden = !item.dataset['search']?.includes(text)))
  each('[data-group]', (group) => {
    group.hidden = !group.querySelector('[data-search]:not([hidden])')
    if (text !== '') (group as HTMLDetailsElement).open = true
  })
}

function field(param: MethodDoc['params'][number], index: number, value: unknown): HTMLElement {
  const input = create('input', {
    id: `param-${index}`,
    required: param.required ?? false,
    autocomplete: 'off',
    spellcheck: false,
  })
  if (value !== undefined && value !== null)
    input.value = typeof value === 'string' ? value : JSON.stringify(value)
  const label = `${param.name}${param.required ? '' : ' (optional)'}`
  const row = create(
    'p',
    { className: 'field' },
    create('label', { htmlFor: input.id }, label),
    input,
  )
  if (param.description) {
    input.setAttribute('aria-describedby', `hint-${index}`)
    row.append(create('small', { id: `hint-${index}` }, param.description))
  }
  return row
}

/** Sends a call and shows the answer. Resolves with its result. */
async function send(method: string, params: unknown[]): Promise<unknown> {
  const section = find('#result')
  section.hidden = false
  try {
    const answer = await rpc('ethgate_explain', [{ method, params }])
    const explained = answer.result as Explanation | undefined
    // If `ethgate_explain` is off, call the method directly.
    const shown = explained ?? { ...(await rpc(method, params)), calls: [] }
    show(method, shown)
    return shown.result
  } catch {
    find('#timing').textContent = 'The gateway is unreachable.'
    return undefined
  }
}

function show(method: string, { calls, error, ms, result }: Explanation): void {
  find('#timing').textContent = `${error ? 'Error' : 'Answered'} in ${ms.toFixed(1)} ms`
  find('#answer').textContent = JSON.stringify(error ?? result, null, 2)
  find('#readable').replaceChildren(
    ...table(
      'Readable',
      ['Field', 'Value'],
      error ? [] : readings(method, result, document.body.dataset['decimals'] === '18' ? 18 : 6),
    ),
  )
  find('#native-calls').replaceChildren(
    ...table(
      'Native calls',
      ['Operation', 'Node', 'Outcome', 'Time'],
      calls.map(({ ms, operation, outcome, upstream = '' }) => [
        operation,
        upstream,
        outcome,
        `${ms.toFixed(1)} ms`,
      ]),
    ),
  )
}

/** A typed parameter: parsed if it is JSON, otherwise text; undefined when it is empty. */
function parameter(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function codeOf(url: string, method: string, params: unknown[]): [label: string, code: string][] {
  const list = JSON.stringify(params)
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return [
    ['curl', `curl -s ${url} -H 'content-type: application/json' -d '${body}'`],
    [
      'viem',
      `import { createPublicClient, http } from 'viem'\n\nconst client = createPublicClient({ transport: http('${url}') })\nconsole.log(await client.request({ method: '${method}', params: ${list} }))`,
    ],
    [
      'ethers',
      `import { JsonRpcProvider } from 'ethers'\n\nconst provider = new JsonRpcProvider('${url}', undefined, { cacheTimeout: -1 })\nconsole.log(await provider.send('${method}', ${list}))`,
    ],
  ]
}

function snippet(label: string, code: string): HTMLElement {
  const button = create('button', { type: 'button', className: 'copy' })
  button.dataset['copy'] = code
  button.setAttribute('aria-label', `Copy ${label} code`)
  return create(
    'figure',
    { className: 'snippet' },
    create('figcaption', {}, `${label} `, button),
    create('pre', { tabIndex: 0 }, code),
  )
}

function table(caption: string, head: string[], rows: string[][]): HTMLElement[] {
  if (rows.length === 0) return []
  const whole = create('table', {}, create('caption', {}, caption))
  const headRow = whole.createTHead().insertRow()
  for (const name of head) headRow.append(create('th', { scope: 'col' }, name))
  const body = whole.createTBody()
  for (const row of rows) {
    const line = body.insertRow()
    for (const [index, text] of row.entries()) {
      const cell = line.insertCell()
      cell.textContent = text
      cell.dataset['label'] = head[index] ?? ''
    }
  }
  return [create('div', { className: 'table' }, whole)]
}
