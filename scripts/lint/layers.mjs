import { dirname, join, relative, sep } from 'node:path'

/**
 * The lint rule `layers/imports`: what a folder of src/ may import, types too. Its option is a table of allowed imports by
 * folder (or by file at the top of src/); everything may import itself. Packages in `packages` may be imported only by
 * the folders that are listed there.
 */
const imports = {
  meta: { type: 'problem', schema: [{ type: 'object' }] },
  create(context) {
    const [{ layers, packages = {} }] = context.options
    const source = join(context.cwd, 'src')
    const file = relative(source, context.filename)
    const layer = layerOf(file)
    const allowed = layers[layer]

    function check(node) {
      const name = node.source?.value
      if (typeof name !== 'string') return
      if (!name.startsWith('.')) {
        const owners = packages[name]
        if (owners && !owners.includes(layer))
          context.report({ node, message: `only ${owners.join(', ')} may import ${name}` })
        return
      }
      const target = relative(source, join(dirname(context.filename), name))
      const other = layerOf(target)
      if (other === layer || target.startsWith('..')) return
      if (!allowed) context.report({ node, message: `.oxlintrc.json has no row for ${layer}` })
      else if (!allowed.some((one) => one === other || one === posix(target)))
        context.report({ node, message: `${layer} may not import ${posix(target)}` })
    }

    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    }
  },
}

/** `chain/head.ts` is of the layer `chain`, `config.ts` of `config`. */
function layerOf(file) {
  const [first] = file.split(sep)
  return first.replace(/\.ts$/, '')
}

function posix(file) {
  return file.split(sep).join('/')
}

export default { meta: { name: 'layers' }, rules: { imports } }
