// Validates Kubernetes manifests from standard input against the schemas of their kinds. Prints `KIND NAME` of each.
import { readFileSync } from 'node:fs'

import { parseAllDocuments } from 'yaml'

/** Kinds of operators, which have no schema in Kubernetes itself. */
const CUSTOM = new Set(['ServiceMonitor'])

for (const document of parseAllDocuments(readFileSync(0, 'utf8'))) {
  const manifest = document.toJS()
  if (!manifest) continue
  const { apiVersion, kind, metadata } = manifest
  if (!CUSTOM.has(kind)) {
    const models = await import(`kubernetes-models/${apiVersion}`)
    new models[kind](manifest).validate()
  }
  console.log(`${kind} ${metadata.name}`)
}
