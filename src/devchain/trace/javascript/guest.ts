/**
 * The program of the sandbox: the objects and functions that geth gives to a tracer. It is an expression: a function that gets `ask`
 * (a question as text, the answer as text) and returns the function which calls the tracer. All values pass as JSON.
 */
export const GUEST = `(function (ask) {
  'use strict'
  const { parse, stringify } = JSON
  const evaluate = eval
  const big = globalThis.bigInt
  let now = {}
  let tracer
  let methods = {}

  const question = (...words) => parse(ask(stringify(words)))

  function bytesOf(hex) {
    const bytes = new Uint8Array(hex.length / 2)
    for (let at = 0; at < bytes.length; at++) bytes[at] = parseInt(hex.slice(2 * at, 2 * at + 2), 16)
    return bytes
  }
  function hexOf(value, isText) {
    if (isText && (typeof value === 'string' || value instanceof String)) {
      const digits = value.replace(/^0x/i, '')
      return digits.length % 2 ? '0' + digits : digits
    }
    if (!Array.isArray(value) && !(value instanceof Uint8Array)) throw new TypeError('invalid buffer type')
    let hex = ''
    for (let at = 0; at < value.length; at++) hex += (value[at] & 255).toString(16).padStart(2, '0')
    return hex
  }
  const fit = (hex, bytes) => hex.slice(-2 * bytes).padStart(2 * bytes, '0')
  const addressOf = (value, isText) => fit(hexOf(value, isText), 20)
  const amount = (hex) => big(BigInt('0x' + hex))

  Object.assign(globalThis, {
    toHex: (value) => '0x' + hexOf(value),
    toWord: (value) => bytesOf(fit(hexOf(value, true), 32)),
    toAddress: (value) => bytesOf(addressOf(value, true)),
    toContract: (from, nonce) => bytesOf(question('toContract', addressOf(from, true), nonce)),
    toContract2: (from, salt, code) =>
      bytesOf(question('toContract2', addressOf(from, true), fit(hexOf(salt, true), 32), hexOf(code, true))),
    isPrecompiled: (value) => question('isPrecompiled', addressOf(value, true)),
    slice(value, start, end) {
      const hex = hexOf(value)
      if (start < 0 || start > end || end > hex.length / 2)
        throw new RangeError('Tracer accessed out of bound memory: available ' + hex.length / 2 + ', offset ' + start + ', size ' + (end - start))
      return bytesOf(hex.slice(2 * start, 2 * end))
    },
  })

  const value = (name) => () => now[name]
  const bytes = (name) => () => bytesOf(now[name])
  const words = () => (typeof now.stack === 'string' ? (now.stack = now.stack ? now.stack.split(',') : []) : now.stack)

  const log = {
    op: { toNumber: value('op'), toString: value('name'), isPush: () => now.op >= 0x5f && now.op <= 0x7f },
    stack: {
      length: () => words().length,
      peek(index) {
        const { length } = words()
        if (!(index >= 0 && index < length))
          throw new RangeError('tracer accessed out of bound stack: size ' + length + ', index ' + index)
        return amount(words()[length - 1 - index])
      },
    },
    memory: {
      length: value('memory'),
      slice(start, end) {
        if (start === end) return new Uint8Array(0)
        if (!(start >= 0 && end > start))
          throw new RangeError('tracer accessed out of bound memory: offset ' + start + ', end ' + end)
        return bytesOf(question('memory', start, end))
      },
      getUint(offset) {
        if (!(offset >= 0 && offset + 32 <= now.memory))
          throw new RangeError('tracer accessed out of bound memory: available ' + now.memory + ', offset ' + offset + ', size 32')
        return amount(question('memory', offset, offset + 32))
      },
    },
    contract: {
      getCaller: bytes('caller'),
      getAddress: bytes('address'),
      getValue: () => amount(now.value),
      getInput: () => bytesOf(question('input')),
    },
    getPC: value('pc'),
    getGas: value('gas'),
    getCost: value('cost'),
    getDepth: value('depth'),
    getRefund: value('refund'),
    getError: value('error'),
  }

  const db = {
    getBalance: (who) => amount(question('getBalance', addressOf(who))),
    getNonce: (who) => question('getNonce', addressOf(who)),
    getCode: (who) => bytesOf(question('getCode', addressOf(who))),
    getState: (who, slot) => bytesOf(question('getState', addressOf(who), fit(hexOf(slot), 32))),
    exists: (who) => question('exists', addressOf(who)),
  }

  const frame = {
    getType: value('type'),
    getFrom: bytes('from'),
    getTo: bytes('to'),
    getInput: bytes('input'),
    getGas: value('gas'),
    getValue: () => (now.value === undefined ? undefined : amount(now.value)),
  }
  const outcome = { getGasUsed: value('gasUsed'), getOutput: bytes('output'), getError: value('error') }

  function context({ amounts, bytes, ...plain }) {
    for (const name in amounts) plain[name] = amount(amounts[name])
    for (const name in bytes) plain[name] = bytesOf(bytes[name])
    return plain
  }

  function open({ code, config }) {
    tracer = evaluate('(' + code + '\\n)')
    for (const name of ['result', 'fault', 'step', 'enter', 'exit', 'setup'])
      if (typeof tracer?.[name] === 'function') methods[name] = tracer[name]
    for (const name of ['result', 'fault'])
      if (!methods[name]) throw new TypeError('trace object must expose a function ' + name + '()')
    if (!methods.enter !== !methods.exit)
      throw new TypeError('trace object must expose either both or none of enter() and exit()')
    methods.setup?.call(tracer, config)
    return stringify({ hasFrames: methods.enter !== undefined, hasStep: methods.step !== undefined })
  }

  return (name, text) => {
    now = parse(text)
    if (name === 'open') return open(now)
    if (name === 'result') return stringify(methods.result.call(tracer, context(now), db))
    if (name === 'enter') methods.enter.call(tracer, frame)
    else if (name === 'exit') methods.exit.call(tracer, outcome)
    else methods[name].call(tracer, log, db)
  }
})`
