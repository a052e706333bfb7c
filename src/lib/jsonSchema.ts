/** The part of JSON Schema (draft 7) that describes parameters and results. */
export type JsonSchema = {
  title?: string
  description?: string
  type?: string | readonly string[]
  pattern?: string
  format?: string
  enum?: readonly unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  maxItems?: number
  maxLength?: number
  items?: JsonSchema
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: boolean | JsonSchema
  oneOf?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  $ref?: string
}

/** A schema, with the type of its values. No schema has the member `values`. */
export type Schema<value> = JsonSchema & { readonly values?: value }

/** The type of the values of a schema. */
export type ValueOf<schema> = schema extends { readonly values?: infer value } ? value : unknown
