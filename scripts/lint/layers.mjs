import { dirname, join, relative, sep } from 'node:path'

/**
 * The lint rule `layers/imports`: what a file of src/ may import, types too. Its option has three tables. `rooms` lists, for
 * each folder of src/, the other rooms that it may import. `layers` lists the folders and files inside a room from top to
 * bottom: each may import itself and what comes after it. A room without layers is not checked inside. `packages` lists the
 * rooms that may import a package.
 */
const imports = {
  meta: { type: 'problem', schema: [{ type: 'object' }] },
  create(context) {
    const [{ layers, packages, rooms }] = context.options
    const source = join(context.cwd, 'src')
    const file = pathIn(source, context.filename)
    const room = roomOf(file)

    function check(node) {
      const name = node.source?.value
      if (typeof name !== 'string') return
      const problem = name.startsWith('.') ? problemOf(name) : packageProblemOf(name)
      if (problem) context.report({ node, message: problem })
    }

    function packageProblemOf(name) {
      const owners = packages[name]
      return owners && !owners.includes(room) && `only ${owners.join(', ')} may import ${name}`
    }

    function problemOf(name) {
      const target = pathIn(source, join(dirname(context.filename), name))
      if (target.startsWith('..')) return undefined
      const other = roomOf(target)
      if (other === room) return layerProblemOf(target)
      if (!rooms[room]) return `.oxlintrc.json has no row for ${room}`
      return rooms[room].includes(other) ? undefined : `${room} may not import ${target}`
    }

    function layerProblemOf(target) {
      const order = layers[room]
      const [from, to] = [layerOf(file), layerOf(target)]
      if (!order || from === to) return undefined
      const missing = [from, to].find((layer) => !order.includes(layer))
      if (missing) return `.oxlintrc.json has no layer ${missing} in ${room}`
      return order.indexOf(from) < order.indexOf(to)
        ? undefined
        : `${room}/${from} may not import ${target}`
    }

    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    }
  },
}

/** `chain/head/sync.ts` is in the room `chain`. */
function roomOf(file) {
  return file.split('/')[0]
}

/** `chain/head/sync.ts` is in the layer `head`, `chain/chain.ts` on `chain`. */
function layerOf(file) {
  return file.split('/')[1].replace(/\.tsx?$/, '')
}

function pathIn(folder, file) {
  return relative(folder, file).split(sep).join('/')
}

/**
 * The lint rule `layers/public`: only the public parts of packages and of node. It refuses files from the inside of a package, and classes
 * that extend one of node, whose members they could replace.
 */
const publicParts = {
  meta: { type: 'problem' },
  create(context) {
    const ofNode = new Set()

    function checkImport(node) {
      const name = node.source?.value
      if (typeof name !== 'string') return
      if (INSIDE.test(name)) context.report({ node, message: `${name} is the inside of a package` })
      if (name.startsWith('node:'))
        for (const { local } of node.specifiers ?? []) ofNode.add(local.name)
    }

    return {
      ImportDeclaration: checkImport,
      ImportExpression: checkImport,
      ClassDeclaration(node) {
        if (ofNode.has(node.superClass?.name))
          context.report({ node, message: `${node.superClass.name} of node may not be extended` })
      },
    }
  },
}

/** `undici/lib/…`, `@scope/name/src/…`. */
const INSIDE = /^(?:@[^/.]+\/)?[^/.@][^/]*\/(?:lib|src|internal)\//

export default { meta: { name: 'layers' }, rules: { imports, public: publicParts } }
