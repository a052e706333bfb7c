import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

import { expect } from 'vitest'

import { serveInTest } from './serve.ts'
import { until } from './until.ts'

/** One span as a collector received it. */
export type ReceivedSpan = {
  attributes: Record<string, unknown>
  failed: boolean
  id: string
  kind: number
  name: string
  parent: string
  trace: string
}

/** An OTLP/HTTP collector on a free port, which reads both encodings. It ends with the test. */
export async function startCollector({ status = 200 }: { status?: number } = {}) {
  const spans: ReceivedSpan[] = []
  const requests: IncomingMessage[] = []
  const resources: Record<string, unknown>[] = []
  const url = await serveInTest(async (request, response) => {
    const body = await buffer(request)
    requests.push(request)
    const isJson = request.headers['content-type'] === 'application/json'
    const received = isJson ? fromJson(body.toString()) : fromProtobuf(body)
    if (status === 200) spans.push(...received.spans)
    resources.push(...received.resources)
    response.writeHead(status, { 'content-type': request.headers['content-type'] }).end()
  })
  const byName = (name: string) => spans.filter((span) => span.name === name)
  return {
    requests,
    resources,
    spans,
    url,
    byName,
    /** Waits for a span with this name, and returns the last one. */
    async span(name: string): Promise<ReceivedSpan> {
      await until(() => expect(byName(name)).not.toEqual([]))
      return byName(name).at(-1) as ReceivedSpan
    },
  }
}

type Received = { spans: ReceivedSpan[]; resources: Record<string, unknown>[] }

type JsonAttributes = { key: string; value: Record<string, unknown> }[]

function fromJson(text: string): Received {
  const { resourceSpans } = JSON.parse(text) as {
    resourceSpans: {
      resource: { attributes: JsonAttributes }
      scopeSpans: { spans: Record<string, unknown>[] }[]
    }[]
  }
  const attributesOf = (list: JsonAttributes = []) =>
    Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]))
  return {
    resources: resourceSpans.map(({ resource }) => attributesOf(resource.attributes)),
    spans: resourceSpans
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
      .map((span) => ({
        attributes: attributesOf(span['attributes'] as JsonAttributes),
        failed: (span['status'] as { code?: number } | undefined)?.code === ERROR,
        id: span['spanId'] as string,
        kind: span['kind'] as number,
        name: span['name'] as string,
        parent: (span['parentSpanId'] ?? '') as string,
        trace: span['traceId'] as string,
      })),
  }
}

/** Status code of a failed span. */
const ERROR = 2

function fromProtobuf(body: Buffer): Received {
  const resourceSpans = read(body).messages(1)
  const attributesOf = (list: Fields[]) =>
    Object.fromEntries(
      list.map((pair) => {
        const [value] = pair.messages(2)
        return [pair.text(1), value?.has(1) ? value.text(1) : value?.number(3)]
      }),
    )
  return {
    resources: resourceSpans.flatMap((one) =>
      one.messages(1).map((resource) => attributesOf(resource.messages(1))),
    ),
    spans: resourceSpans
      .flatMap((one) => one.messages(2).flatMap((scope) => scope.messages(2)))
      .map((span) => ({
        attributes: attributesOf(span.messages(9)),
        failed: span.messages(15)[0]?.number(3) === ERROR,
        id: span.hex(2),
        kind: span.number(6),
        name: span.text(5),
        parent: span.hex(4),
        trace: span.hex(1),
      })),
  }
}

type Fields = {
  has(field: number): boolean
  hex(field: number): string
  messages(field: number): Fields[]
  number(field: number): number
  text(field: number): string
}

/** The fields of a protobuf message, by number. */
function read(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] as number
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(BigInt.asIntN(64, value))
    }
  }
  const take = (length: number) => bytes.subarray(at, (at += length))
  while (at < bytes.length) {
    const tag = varint()
    const type = tag & 7
    const value = type === 0 ? varint() : take(type === 1 ? 8 : type === 5 ? 4 : varint())
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  const all = (field: number) => fields.get(field) ?? []
  const buffer = (field: number) => (all(field)[0] ?? Buffer.alloc(0)) as Buffer
  return {
    has: (field) => fields.has(field),
    hex: (field) => buffer(field).toString('hex'),
    messages: (field) => all(field).map((value) => read(value as Buffer)),
    number: (field) => (all(field)[0] ?? 0) as number,
    text: (field) => buffer(field).toString(),
  }
}
