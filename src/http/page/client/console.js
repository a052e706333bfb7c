import { readings } from './readings.ts'
import { rpc } from './rpc.ts'
/** The console: a form for each method, its answer, and the same request as code. */
export function startConsole() {
  const form = document.querySelector('#console')
  if (form) void loadConsole(form)
}
async function loadConsole(form) {
  const { methods: docs } = await (await fetch('/openrpc.json')).json()
  const methods = new Map(docs.map((method) => [method.name, method]))
  const select = element('#method')
  const live = await liveExamples()
  function choose(name) {
    const method = methods.get(name)
    if (!method) return
    select.value = name
    element('#summary').textContent = method.summary ?? ''
    element('#params').replaceChildren(...method.params.map((_, index) => field(method, index)))
    history.replaceState(null, '', `#${name}`)
    showCode()
  }
  function field(method, index) {
    const param = method.params[index]
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
  function params() {
    const values = [...form.querySelectorAll('#params input')].map(({ value }) =>
      parameter(value.trim()),
    )
    while (values.length > 0 && values.at(-1) === undefined) values.pop()
    return values.map((value) => value ?? null)
  }
  function showCode() {
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
    const link = event.target.closest('a[data-method]')
    if (!link) return
    event.preventDefault()
    choose(link.dataset['method'] ?? '')
    form.scrollIntoView({ block: 'start' })
  })
  form.hidden = false
  choose(methods.has(location.hash.slice(1)) ? location.hash.slice(1) : 'eth_blockNumber')
}
async function send(method, params) {
  const section = element('#result')
  section.hidden = false
  try {
    const answer = await rpc('ethgate_explain', [{ method, params }])
    const explained = answer.result
    if (explained) show(method, explained)
    // If `ethgate_explain` is off, call the method directly.
    else show(method, { ...(await rpc(method, params)), calls: [] })
  } catch {
    element('#timing').textContent = 'The gateway is unreachable.'
  }
}
function show(method, { calls, error, ms, result }) {
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
async function liveExamples() {
  const examples = new Map()
  const { result: head } = await rpc('eth_blockNumber', [])
  const newest = Number(head)
  for (let number = newest; number >= Math.max(0, newest - 20); number--) {
    const { result } = await rpc('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
    const block = result
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
function parameter(text) {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
function codeOf(url, method, params) {
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
function snippet(label, code) {
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
function table(caption, head, rows) {
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
function element(selector) {
  const found = document.querySelector(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return found
}
