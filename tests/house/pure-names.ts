/** The names whose calls the build may leave out (`build/pure.ts`): whoever calls something else so loses what it does, in the build alone. */
import { pureFunctions } from '../../build/pure.ts'
import { type Files, type Found, type Node, nodesOf, textsOf, treeOf } from './source.ts'

/** What stands at the beginning of `words.push(x)`, and whether it is called itself. */
function rootOf(call: Node): { name: string; itself: boolean } {
  const callee = call.callee as Node
  let node: Node = callee
  while (node.type === 'MemberExpression' || node.type === 'CallExpression')
    node = (node.type === 'CallExpression' ? node.callee : node.object) as Node
  return { name: node.type === 'Identifier' ? String(node.name) : '', itself: node === callee }
}

const passing = new Set([
  'AwaitExpression',
  'UnaryExpression',
  'LogicalExpression',
  'ConditionalExpression',
  'SequenceExpression',
  'ChainExpression',
])
/** Nothing takes the value: such a call is made for what it does. */
const isForItself = (inside: readonly Node[]): boolean =>
  inside.findLast(({ type }) => !passing.has(type))?.type === 'ExpressionStatement'

/** Calls by such a name which is not the contract's: of a function called so, or for what they do to something called so. */
export const pureNames = (files: Files): Found => {
  const pure = new Set(pureFunctions)
  const named = new RegExp(`\\b(${pureFunctions.join('|')})\\b[.(?]`)
  const found = textsOf(files, (path) => /^(src|platform\/client)\/.*\.tsx?$/.test(path)).flatMap(([path, text]) => {
    if (!named.test(text)) return []
    const theirs = new Set(
      [...text.matchAll(/^import \{([^}]*)\} from '[^']*\/contract\/[^']*'/gm)].flatMap((match) => match[1]?.match(/\w+/g) ?? []),
    )
    return nodesOf(treeOf(path, text)).flatMap(([node, inside]) => {
      if (node.type !== 'CallExpression') return []
      const { name, itself } = rootOf(node)
      return pure.has(name) && !theirs.has(name) && (itself || isForItself(inside)) ? [`${path} calls ${name}`] : []
    })
  })
  return Object.fromEntries(found.map((one) => [one, 1]))
}
