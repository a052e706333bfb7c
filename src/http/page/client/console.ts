import { readings } from './readings.ts'
import { type RpcAnswer, rpc } from './rpc.ts'

type Schema = { type?: string; enum?: unknown[]; default?: unknown }
type MethodDoc = {
  name: string
  summary?: string
  params: { name: string; required?: boolean; description?: string; schema: Schema }[]
  examples?: { params: { value: unknown }[] }[]
}

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
  const select = element('#method') as HTMLSelectElement
  const live = await liveExamples()

  function choose(name: string): void {
    const method = methods.get(name)
    if (!method) return
    select.value = name
    element('#summary').textContent = method.summary ?? ''
    element('#params').replaceChildren(...method.params.map((_, index) => field(method, index)))
    history.replaceState(null, '', `#${name}`)
    showCode()
  }

  function field(method: MethodDoc, index: number): HTMLElement {
    const param = method.params[index] as MethodDoc['params'][number]
    const row = document.createElement('p')
    const label = document.createElement('label')
    const input = document.createElement('input')
    input.id = `param-${index}`
    input.required = param.required ?? false
    input.autocomplete = 'off'
    input.spellcheck = false
    const example = live.get(param.name) ?? method.examples?.[0]?.params[index]?.value
    if (example !== undefined)
      input.value = typeof example === 'string' ? example : JSON.stringify(example)
    label.htmlFor = input.id
    label.textContent = `${param.name}${param.required ? '' : ' (optional)'}`
    row.append(label, input)
    if (param.description) {
      const hint = document.createElement('small')
      hint.id = `hint-${index}`
      hint.textContent = param.description
      input.setAttribute('aria-describedby', hint.id)
      row.append(hint)
    }
    return row
  }

  function params(): unknown[] {
    const values = [...form.querySelectorAll<HTMLInputElement>('#params input')].map(({ value }) =>
      parameter(value.trim()),
    )
    while (values.length > 0 && values.at(-1) === undefined) values.pop()
    return values.map((value) => value ?? null)
  }

  function showCode(): void {
    const url = form.dataset['url'] ?? location.origin
    element('#code').replaceChildren(
      ...codeOf(url, select.value, params()).map(([label, code]) => snippet(label, code)),
    )
    element('#request').hidden = false
  }

  select.addEventListener('change', () => choose(select.value))
  form.addEventListener('input', showCode)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(select.value, params())
  })
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[data-method]')
    if (!link) return
    event.preventDefault()
    choose(link.dataset['method'] ?? '')
    form.scrollIntoView({ block: 'start' })
  })
  form.hidden = false
  choose(methods.has(location.hash.slice(1)) ? location.hash.slice(1) : 'eth_blockNumber')
}

async function send(method: string, params: unknown[]): Promise<void> {
  const section = element('#result')
  section.hidden = false
  try {
    const answer = await rpc('ethgate_explain', [{ method, params }])
    const explained = answer.result as Explanation | undefined
    if (explained) show(method, explained)
    // If `ethgate_explain` is off, call the method directly.
    else show(method, { ...(await rpc(method, params)), calls: [] })
  } catch {
    element('#timing').textContent = 'The gateway is unreachable.'
  }
}

function show(method: string, { calls, error, ms, result }: Explanation): void {
  element('#timing').textContent = `${error ? 'Error' : 'Answered'} in ${ms.toFixed(1)} ms`
  element('#answer').textContent = JSON.stringify(error ?? result, null, 2)
  element('#readable').replaceChildren(
    ...table('Readable', ['Field', 'Value'], error ? [] : readings(method, result)),
  )
  element('#native-calls').replaceChildren(
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

/** Examples from the newest blocks, by the name of the parameter. */
async function liveExamples(): Promise<Map<string, unknown>> {
  const examples = new Map<string, unknown>()
  const { result: head } = await rpc('eth_blockNumber', [])
  const newest = Number(head)
  for (let number = newest; number >= Math.max(0, newest - 20); number--) {
    const { result } = await rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const block = result as {
      hash: string
      miner: string
      transactions: { hash: string; from: string }[]
    } | null
    if (!block) break
    if (!examples.has('blockHash')) {
      examples.set('blockHash', block.hash)
      examples.set('address', block.miner)
    }
    const [transaction] = block.transactions
    if (!transaction) continue
    examples.set('blockHash', block.hash)
    examples.set('address', transaction.from)
    examples.set('transactionHash', transaction.hash)
    break
  }
  return examples
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
      `import { JsonRpcProvider } from 'ethers'\n\nconst provider = new JsonRpcProvider('${url}')\nconsole.log(await provider.send('${method}', ${list}))`,
    ],
  ]
}

function snippet(label: string, code: string): HTMLElement {
  const figure = document.createElement('figure')
  figure.className = 'snippet'
  const caption = document.createElement('figcaption')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.dataset['copy'] = code
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy ${label} code`)
  caption.append(`${label} `, button)
  const pre = document.createElement('pre')
  pre.tabIndex = 0
  pre.textContent = code
  figure.append(caption, pre)
  return figure
}

function table(caption: string, head: string[], rows: string[][]): HTMLElement[] {
  if (rows.length === 0) return []
  const whole = document.createElement('table')
  whole.createCaption().textContent = caption
  const headRow = whole.createTHead().insertRow()
  for (const name of head) {
    const cell = document.createElement('th')
    cell.scope = 'col'
    cell.textContent = name
    headRow.append(cell)
  }
  const body = whole.createTBody()
  for (const row of rows) {
    const line = body.insertRow()
    for (const text of row) line.insertCell().textContent = text
  }
  return [whole]
}

function element(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return found
}
