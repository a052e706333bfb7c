import { type Option, options } from './config.ts'
import { UPSTREAM_KEYS } from './file.ts'
import { MOST_MS } from './values.ts'

/** The JSON schema of a configuration file, for editors: docs/config.schema.json. */
export function configSchema(): object {
  const all = (Object.entries(options) as [string, Option][]).filter(([key]) => key !== 'config')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ethgate configuration',
    type: 'object',
    additionalProperties: false,
    properties: {
      upstreams: {
        description: 'the nodes',
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['url'],
          properties: Object.fromEntries(
            Object.entries(UPSTREAM_KEYS).map(([key, description]) => [
              key,
              { description, ...UPSTREAM_TYPES[key as keyof typeof UPSTREAM_KEYS] },
            ]),
          ),
        },
      },
      ...Object.fromEntries(all.map(([, option]) => [option.flag.slice(2), propertyOf(option)])),
    },
  }
}

function propertyOf({ default: fallback, help, value }: Option): object {
  const type = value === undefined ? 'boolean' : (NUMBERS[value] ?? 'string')
  return { description: help, type, ...(fallback !== undefined && { default: fallback }) }
}

const WHOLE = ['integer', 'string']
const FRACTION = ['number', 'string']

/** Types of numbers, by how the value is written in help. */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  BLOCKS: WHOLE,
  BYTES: WHOLE,
  MS: WHOLE,
  N: WHOLE,
  'N|auto': WHOLE,
  PORT: WHOLE,
  SECONDS: WHOLE,
  SHARE: FRACTION,
  UNITS: FRACTION,
}

const URL_TEXT = { type: 'string', format: 'uri' }

const UPSTREAM_TYPES: Record<keyof typeof UPSTREAM_KEYS, object> = {
  name: { type: 'string', pattern: '^[\\w.:-]{1,64}$' },
  url: URL_TEXT,
  solidity: URL_TEXT,
  rpc: URL_TEXT,
  grpc: { type: 'string' },
  headers: {
    type: 'object',
    additionalProperties: {
      anyOf: [
        { type: ['string', 'number', 'boolean'] },
        {
          type: 'object',
          additionalProperties: false,
          required: ['env'],
          properties: { env: { type: 'string' } },
        },
        {
          type: 'object',
          additionalProperties: false,
          required: ['file'],
          properties: { file: { type: 'string' } },
        },
      ],
    },
  },
  weight: { type: 'integer', minimum: 1, maximum: 1_000, default: 1 },
  tier: { type: 'integer', minimum: 0, maximum: 100, default: 0 },
  rate: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'unlimited' }] },
  concurrency: { type: 'integer', minimum: 1, maximum: 40, default: 40 },
  timeout: { type: 'integer', minimum: 1, maximum: MOST_MS, default: 10_000 },
}
