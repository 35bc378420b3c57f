/** Finds code that decides by the name of a column role instead of asking the table of roles. */
import { type ColumnRole, columnRoleNames, columnRoles } from '../../server/contract/sheets/column-roles.ts'
import { count, type Files, getNodes, getTexts, getTree, isCode, isNode, isProduct, type Match, type Node } from './source.ts'

const names: ReadonlySet<unknown> = new Set(columnRoleNames)
const isRoleName = (node: unknown): boolean => isNode(node) && node.type === 'Literal' && names.has(node.value)
/** A pay item, of which a more precise role may exist. */
const isPayItemName = (node: unknown): boolean =>
  isNode(node) && isRoleName(node) && columnRoles[node.value as ColumnRole].amount === 'item'
/** The roles of a roster, and columns of the tax files, are lists of their own. */
const ownRolesPattern =
  /^server\/(?:contract\/directory|modules\/directory|spreadsheets\/profiles\/(?:roster|deduction|withheld))\/|^src\/features\/directory\/|^server\/contract\/sheets\/column-roles\.ts$/

/** Whether an expression reads a role: `role`, `column.role`, `newRole`, `roles.get(key)`, `roles[key]`. */
function isRole(node: unknown): boolean {
  if (!isNode(node)) return false
  if (node.type === 'Identifier') return /^role$|Roles?$|^roles$/.test(String(node.name))
  if (node.type === 'MemberExpression') return isRole(node.computed ? node.object : node.property) || isRole(node.property)
  if (node.type === 'CallExpression') return isRole((node.callee as Node).object)
  return ['ChainExpression', 'TSNonNullExpression', 'ParenthesizedExpression'].includes(node.type) && isRole(node.expression)
}

function comparesRole(node: Node): boolean {
  if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node.operator)))
    return (isRoleName(node.left) && isRole(node.right)) || (isRoleName(node.right) && isRole(node.left))
  if (node.type === 'SwitchStatement')
    return isRole(node.discriminant) && (node.cases as Node[]).some(({ test }) => isRoleName(test))
  if (node.type === 'CallExpression') {
    // Whatever the list contains: sets of roles that the table selects are asked with `has`.
    const { property } = node.callee as Node & { property?: Node }
    return property?.name === 'includes' && (node.arguments as unknown[]).some(isRole)
  }
  // Another role would be lost: a role proven by sums keeps its precise meaning (`toPayItemOfSide`).
  if (node.type === 'ConditionalExpression')
    return (
      (isPayItemName(node.consequent) && isRole(node.alternate)) || (isPayItemName(node.alternate) && isRole(node.consequent))
    )
  return false
}
/** A set or a table of some roles, typed as such: it does not tell when a new role is missing from it. */
const partialListPattern =
  /Set<ColumnRole>[^\n;[]*\[\s*(?:\.\.\.\w+,\s*)?'|ColumnRole\[\] = \[\s*'|Partial<Record<(?:ColumnRole\b|\w+\['role'\])/g

export const findRoleComparisons = (files: Files): Match =>
  count(
    getTexts(files, (path) => isCode(path) && isProduct(path) && !ownRolesPattern.test(path)).flatMap(([path, text]) => {
      if (!text.includes('ole')) return []
      const comparisons = getNodes(getTree(path, text)).filter(([node]) => comparesRole(node))
      const lists = text.match(partialListPattern) ?? []
      return [...comparisons.map(() => `${path} compares a role`), ...lists.map(() => `${path} lists roles`)]
    }),
  )
