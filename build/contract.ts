/**
 * Reduces the API contract in the client bundle to what the browser needs: where a call goes. The rest stays on the
 * server or is loaded on demand.
 */
import type { ESTree, Plugin } from 'vite'
import { definingFunctions } from './pure-functions.ts'
import { applyEdits, type SourceEdit } from './source-edits.ts'

/** Properties of a call definition that only the server reads. */
const serverOnlyProperties = new Set(['output', 'summary', 'errors', 'rateLimit', 'audit', 'responseType'])

/** Finds the properties to omit of a call definition, `export const name = defineRead(…, { … })`, and what replaces each. */
function findOmittedProperties(call: ESTree.CallExpression, name: string, file: string, withShapes: boolean): SourceEdit[] {
  const spec = call.arguments.at(-1)
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

/** Returns the call definitions that a module exports. */
const findCallDefinitions = (program: ESTree.Program): { name: string; call: ESTree.CallExpression }[] =>
  program.body
    .flatMap((node) => (node.type === 'ExportNamedDeclaration' && node.declaration ? [node.declaration] : []))
    .flatMap((made) => (made.type === 'VariableDeclaration' ? made.declarations : []))
    .flatMap(({ id, init }) =>
      id.type === 'Identifier' &&
      init?.type === 'CallExpression' &&
      init.callee.type === 'Identifier' &&
      definingFunctions.includes(init.callee.name)
        ? [{ name: id.name, call: init }]
        : [],
    )

/**
 * The server shapes every response by its schema; the browser trusts its own server and does not need schemas that it
 * never reads. A request is validated before it is sent (`src/api.ts`): its schema and the schema library are loaded
 * with the first validation, from a second copy of the module, `?shapes`.
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
      const edits = findCallDefinitions(this.parse(code)).flatMap(({ name, call }) =>
        findOmittedProperties(call, name, file, query === 'shapes'),
      )
      return { code: applyEdits(code, edits), map: null }
    },
  },
})
