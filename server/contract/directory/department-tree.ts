/** Where a department may hang in the tree, and under which name: the server refuses by it, the page disables by it and says the same reason. */

type Result = true | string

/** A department where it hangs. */
export type DepartmentNode = { readonly id: string; readonly pid: string | null; readonly name: string }
export type DepartmentTree = ReadonlyMap<string, DepartmentNode>
/** More levels nobody keeps apart, and every page draws them. */
export const maxDepartmentLevels = 15

/** From a department upward to the highest, itself included. A tree that bites its own tail ends as well. */
function getAncestorIds(id: string, tree: DepartmentTree): string[] {
  const line = new Set<string>()
  for (let at = tree.get(id); at && !line.has(at.id); at = at.pid === null ? undefined : tree.get(at.pid)) line.add(at.id)
  return [...line]
}

/** A department, or one that is not there yet (`id` null), under the name that it shall have. */
type NamedDepartment = { readonly id: string | null; readonly name: string }

/** Whether a department may stand below `pid`: no circle, not too deep. */
export function canMoveBelow({ id, name }: NamedDepartment, pid: string, tree: DepartmentTree): Result {
  const line = getAncestorIds(pid, tree)
  const where = tree.get(pid)?.name ?? ''
  if (id !== null && pid === id) return `不能把「${name}」移到它自己下面`
  if (id !== null && line.includes(id)) return `「${where}」是「${name}」的下级部门，不能把部门移到自己的下级里`
  let levels = 1
  if (id !== null) for (const one of tree.keys()) levels = Math.max(levels, getAncestorIds(one, tree).indexOf(id) + 1)
  return (
    line.length + levels <= maxDepartmentLevels ||
    `部门最多 ${maxDepartmentLevels} 级，移到「${where}」下面会超过，请放到更高一级`
  )
}

/** Whether it may have this name below `pid`: no two of one name beside each other. */
export function canBeNamed({ id, name }: NamedDepartment, pid: string, tree: DepartmentTree): Result {
  const twin = [...tree.values()].some((one) => one.pid === pid && one.id !== id && one.name === name)
  return !twin || `「${tree.get(pid)?.name ?? ''}」下面已经有一个「${name}」，请换个名称`
}

/** Both: whether it may hang there under this name. */
export function canMoveDepartment(called: NamedDepartment, pid: string, tree: DepartmentTree): Result {
  const stands = canMoveBelow(called, pid, tree)
  return stands === true ? canBeNamed(called, pid, tree) : stands
}
