/** What of the contract a page carries: where a call goes. Everything else is the server's, or comes when it is needed. */
import type { ESTree, Plugin } from 'vite'

/** What of a call only the server reads. */
const serverOnlyProperties = new Set(['output', 'summary', 'errors', 'rateLimit', 'audit', 'responseType'])
type SourceEdit = { start: number; end: number; text: string }

/** The parts of `export const name = call(…, { … })` that are left out, and what stands in their place. */
function findOmittedProperties(call: ESTree.CallExpression, name: string, file: string, withShapes: boolean): SourceEdit[] {
  const spec = call.arguments[1]
  if (spec?.type !== 'ObjectExpression') return []
  return spec.properties.flatMap((property): SourceEdit[] => {
    if (property.type !== 'Property' || property.key.type !== 'Identifier') return []
    const key = property.key.name
    const { start, end } = property
    if (serverOnlyProperties.has(key)) return [{ start, end, text: '...null' }]
    if (key !== 'input' || withShapes) return []
    return [{ start, end, text: `input: () => import('./${file}?shapes').then((all) => all.${name}.input)` }]
  })
}

/** Exported calls of a module. */
const findCallDefinitions = (program: ESTree.Program): { name: string; call: ESTree.CallExpression }[] =>
  program.body
    .flatMap((node) => (node.type === 'ExportNamedDeclaration' && node.declaration ? [node.declaration] : []))
    .flatMap((made) => (made.type === 'VariableDeclaration' ? made.declarations : []))
    .flatMap(({ id, init }) =>
      id.type === 'Identifier' &&
      init?.type === 'CallExpression' &&
      init.callee.type === 'Identifier' &&
      init.callee.name === 'defineCall'
        ? [{ name: id.name, call: init }]
        : [],
    )

/**
 * The server shapes every answer by its schema; the browser trusts its own server and need not carry what it never reads. The shape of
 * what is asked is checked before something is sent (`src/api.ts`): it comes with the first check, and the schema library with it, from a
 * second copy of the module, `?shapes`.
 */
export const leanContractPlugin = (): Plugin => ({
  name: 'lean-contract',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /server\/contract\/(?:[a-z]+\/)*[a-z-]+\.ts(\?shapes)?$/ },
    handler(code, id) {
      const [path = '', query] = id.split('?')
      const file = path.slice(path.lastIndexOf('/') + 1)
      const parts = findCallDefinitions(this.parse(code)).flatMap(({ name, call }) =>
        findOmittedProperties(call, name, file, query === 'shapes'),
      )
      const text = parts
        .toSorted((a, b) => b.start - a.start)
        .reduce((all, { start, end, text }) => `${all.slice(0, start)}${text}${all.slice(end)}`, code)
      return { code: text, map: null }
    },
  },
})
