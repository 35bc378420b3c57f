/** Finds code that names a chat provider in a comparison or a list instead of asking its descriptor. */
import { providers } from '../../server/contract/shared/providers.ts'
import { count, type Files, getNodes, getTexts, getTree, isCode, isNode, isProduct, type Match, type Node } from './source.ts'

const names: ReadonlySet<unknown> = new Set(providers)
const isName = (node: unknown): boolean => isNode(node) && node.type === 'Literal' && names.has(node.value)
/** The descriptors and adapters themselves, and the simulators of their vendors. */
const ownNamesPattern = /^platform\/(?:chat|simulator)\//

function comparesProvider(node: Node): boolean {
  if (node.type === 'BinaryExpression')
    return /^[!=]==?$/.test(String(node.operator)) && (isName(node.left) || isName(node.right))
  if (node.type === 'SwitchCase') return isName(node.test)
  if (node.type !== 'CallExpression') return false
  const { object, property } = node.callee as Node & { object?: unknown; property?: Node }
  return property?.name === 'includes' && isNode(object) && object.type === 'ArrayExpression' && getNames(object).length > 0
}

/** Returns the providers that a list, a table or a union names. */
function getNames(node: Node): unknown[] {
  if (node.type === 'ArrayExpression') return (node.elements as unknown[]).filter(isName)
  if (node.type === 'TSUnionType') return (node.types as Node[]).filter((type) => isName(type.literal))
  if (node.type !== 'ObjectExpression') return []
  const keys = (node.properties as Node[]).map((property) => property.key as Node | undefined)
  return keys.filter((key) => names.has(key?.name) || isName(key))
}

export const findProviderNames = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && isProduct(path) && !ownNamesPattern.test(path)).flatMap(([path, text]) => {
      if (!providers.some((name) => text.includes(name))) return []
      const nodes = getNodes(getTree(path, text)).map(([node]) => node)
      const comparisons = nodes.filter(comparesProvider).map(() => `${path} compares a provider`)
      const lists = nodes.filter((node) => getNames(node).length > 1).map(() => `${path} lists providers`)
      return [...comparisons, ...lists]
    }),
  )
