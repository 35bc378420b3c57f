/** Rules for a department's position and name. The server refuses by them; the page disables with the same reason. */

type Result = true | string

export type DepartmentNode = { readonly id: string; readonly pid: string | null; readonly name: string }
export type DepartmentTree = ReadonlyMap<string, DepartmentNode>
/** The limit exists for readability, because every page renders all levels. */
export const maxDepartmentLevels = 15

/** Returns the ids from a department up to the root, including its own. Also terminates on a cyclic tree. */
function getAncestorIds(id: string, tree: DepartmentTree): string[] {
  const line = new Set<string>()
  for (let at = tree.get(id); at && !line.has(at.id); at = at.pid === null ? undefined : tree.get(at.pid)) line.add(at.id)
  return [...line]
}

/** A department, or a new one (`id` null), with its intended name. */
type NamedDepartment = { readonly id: string | null; readonly name: string }

/** Whether a department may be moved below `pid`: no cycle, not too deep. */
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

/** Whether a department may have this name below `pid`: names are unique among siblings. */
export function canBeNamed({ id, name }: NamedDepartment, pid: string, tree: DepartmentTree): Result {
  const twin = [...tree.values()].some((one) => one.pid === pid && one.id !== id && one.name === name)
  return !twin || `「${tree.get(pid)?.name ?? ''}」下面已经有一个「${name}」，请换个名称`
}

/** Whether a department may be moved below `pid` under this name. */
export function canMoveDepartment(called: NamedDepartment, pid: string, tree: DepartmentTree): Result {
  const stands = canMoveBelow(called, pid, tree)
  return stands === true ? canBeNamed(called, pid, tree) : stands
}
