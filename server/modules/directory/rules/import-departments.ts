/** Resolves the departments named in a roster, and those an import would have to create. */
import { maxDepartmentLevels } from '../../../contract/directory/department-tree.ts'
import { normalizeText } from '../../../rules/text.ts'

export interface PlacedDepartment {
  readonly id: string
  readonly parent_id: string | null
  readonly name: string
}
/** The path starts at the top without the root, which is named only where it is meant itself. */
type DepartmentPath = readonly string[]
export type ResolvedPath = { readonly path: DepartmentPath; readonly isNew: boolean } | { readonly why: string }

const maxNameLength = 50
const getPathKey = (path: DepartmentPath): string => path.map(normalizeDepartmentName).join('\n')
const normalizeDepartmentName = (name: string): string => normalizeText(name).toLowerCase()

interface PathEntry {
  path: DepartmentPath
  isManageable: boolean
  /** Another department that differs only in case or spaces: a sheet cannot distinguish them. */
  isAmbiguous?: boolean
}
interface PathIndex {
  /** By full path. */
  byPath: Map<string, PathEntry>
  /** Departments by every suffix of a path: 研发/前端 and 前端. */
  bySuffix: Map<string, PathEntry[]>
  root: string
  /** The parent of unknown departments; null if a parent must be named. */
  defaultParent: PathEntry | null
}

export function getDepartmentPaths(tree: readonly PlacedDepartment[]): Map<string, DepartmentPath> {
  const byId = new Map(tree.map((one) => [one.id, one]))
  const paths = new Map<string, DepartmentPath>()
  const getPath = (one: PlacedDepartment, depth = 0): DepartmentPath => {
    const cached = paths.get(one.id)
    if (cached) return cached
    const parent = one.parent_id === null || depth > maxDepartmentLevels ? undefined : byId.get(one.parent_id)
    const above = parent && parent.parent_id !== null ? getPath(parent, depth + 1) : []
    const path = [...above, one.name]
    paths.set(one.id, path)
    return path
  }
  for (const one of tree) getPath(one)
  return paths
}

function buildPathIndex(tree: readonly PlacedDepartment[], managedIds: ReadonlySet<string> | null): PathIndex {
  const paths = getDepartmentPaths(tree)
  const root = tree.find(({ parent_id }) => parent_id === null)
  const index: PathIndex = { byPath: new Map(), bySuffix: new Map(), root: root?.name ?? '', defaultParent: null }
  const entryById = new Map(
    tree.map((one): [string, PathEntry] => [
      one.id,
      { path: paths.get(one.id) ?? [one.name], isManageable: managedIds === null || managedIds.has(one.id) },
    ]),
  )
  for (const [id, entry] of entryById) if (id !== root?.id) addPath(index, entry)
  const highest = managedIds === null ? [] : tree.filter((one) => managedIds.has(one.id) && !managedIds.has(one.parent_id ?? ''))
  const [only] = highest
  if (managedIds === null || (root && managedIds.has(root.id))) index.defaultParent = { path: [], isManageable: true }
  else if (only && highest.length === 1) index.defaultParent = entryById.get(only.id) ?? null
  return index
}

function addPath(index: PathIndex, entry: PathEntry): void {
  const before = index.byPath.get(getPathKey(entry.path))
  if (before) before.isAmbiguous = entry.isAmbiguous = true
  // If two such departments exist, the one within scope is used, so that the other is not revealed.
  if (!before?.isManageable) index.byPath.set(getPathKey(entry.path), entry)
  for (let from = 0; from < entry.path.length; from++) {
    const key = getPathKey(entry.path.slice(from))
    const same = index.bySuffix.get(key)
    if (same) same.push(entry)
    else index.bySuffix.set(key, [entry])
  }
}

/**
 * Resolves each path. `managedIds`: the departments within scope, null for all. A department out of scope looks like a
 * nonexistent one. Departments created by one row count for the others, so that a name unambiguous today refers to the
 * same department tomorrow.
 */
export function createPathResolver(
  requested: readonly DepartmentPath[],
  tree: readonly PlacedDepartment[],
  managedIds: ReadonlySet<string> | null,
): (path: DepartmentPath) => ResolvedPath {
  const index = buildPathIndex(tree, managedIds)
  // Members of one department share the same path array.
  const keys = new Map<DepartmentPath, string>()
  const getKey = (path: DepartmentPath): string => {
    let key = keys.get(path)
    if (key === undefined) keys.set(path, (key = getPathKey(path)))
    return key
  }
  const distinct = new Map<string, DepartmentPath>()
  for (const path of new Set(requested)) distinct.set(getKey(path), path)
  const first = [...distinct.values()].map((path) => resolvePath(path, index))
  const createdPaths = new Map<string, DepartmentPath>()
  for (const one of first)
    if ('path' in one && one.isNew)
      for (let to = 1; to <= one.path.length; to++) {
        const head = to === one.path.length ? one.path : one.path.slice(0, to)
        createdPaths.set(getPathKey(head), head)
      }
  for (const [key, path] of createdPaths) if (!index.byPath.has(key)) addPath(index, { path, isManageable: true })
  const resolvedByKey = new Map<string, ResolvedPath>()
  for (const [at, [key, path]] of [...distinct].entries()) {
    const before = first[at]
    const now = resolvePath(path, index)
    if (!before || 'why' in before || 'why' in now) resolvedByKey.set(key, 'why' in now ? now : (before ?? now))
    else resolvedByKey.set(key, { path: now.path, isNew: createdPaths.has(getPathKey(now.path)) })
  }
  const resolvedByPath = new Map([...keys].map(([path, key]) => [path, resolvedByKey.get(key)]))
  return (path) => resolvedByPath.get(path) ?? resolvedByKey.get(getKey(path)) ?? resolvePath(path, index)
}

const toResolved = (entry: PathEntry): ResolvedPath =>
  entry.isAmbiguous
    ? { why: `有几个部门都叫「${formatPath(entry.path)}」，只差大小写或空格，请先给它们改名` }
    : { path: entry.path, isNew: false }

const formatPath = (path: DepartmentPath): string => path.join('/')

function resolvePath(input: DepartmentPath, index: PathIndex): ResolvedPath {
  const names = input.map(normalizeText).filter((part) => part !== '')
  const isRoot = normalizeDepartmentName(names[0] ?? '') === normalizeDepartmentName(index.root) && index.root !== ''
  const elsewhere = { why: `部门「${formatPath(names)}」不在您的管理范围，请核对` }
  if (names.length === 0 || (names.length === 1 && isRoot))
    return index.defaultParent ? toResolved(index.defaultParent) : elsewhere
  const path = isRoot ? names.slice(1) : names
  const exactMatch = index.byPath.get(getPathKey(path))
  if (exactMatch?.isManageable) return toResolved(exactMatch)
  const suffixMatches = (index.bySuffix.get(getPathKey(path)) ?? []).filter((one) => one.isManageable)
  const [only, other] = suffixMatches
  if (only && other)
    return { why: `有 ${suffixMatches.length} 个「${formatPath(path)}」，请写完整，例如「${formatPath(only.path)}」` }
  if (only) return toResolved(only)
  if (exactMatch) return elsewhere
  return resolveBelowExisting(path, index) ?? elsewhere
}

/**
 * The department is created below the existing part of the path, or otherwise below the highest department within
 * scope.
 */
function resolveBelowExisting(path: DepartmentPath, index: PathIndex): ResolvedPath | null {
  for (let to = path.length - 1; to > 0; to--) {
    const head = path.slice(0, to)
    const suffixMatches = (index.bySuffix.get(getPathKey(head)) ?? []).filter((one) => one.isManageable)
    const exactMatch = index.byPath.get(getPathKey(head))
    const [only, other] = exactMatch?.isManageable ? [exactMatch] : suffixMatches
    if (only && other)
      return { why: `有 ${suffixMatches.length} 个「${formatPath(head)}」，请写完整，例如「${formatPath(only.path)}」` }
    if (only?.isAmbiguous) return toResolved(only)
    if (only) return toNewPath([...only.path, ...path.slice(to)])
    if (exactMatch) return null
  }
  if (index.defaultParent?.isAmbiguous) return toResolved(index.defaultParent)
  return index.defaultParent ? toNewPath([...index.defaultParent.path, ...path]) : null
}

function toNewPath(path: DepartmentPath): ResolvedPath {
  const tooLongName = path.find((name) => [...name].length > maxNameLength)
  if (tooLongName) return { why: `部门名称最多 ${maxNameLength} 个字：「${[...tooLongName].slice(0, 20).join('')}…」` }
  return path.length < maxDepartmentLevels
    ? { path, isNew: true }
    : { why: `部门最多 ${maxDepartmentLevels} 级：「${formatPath(path)}」` }
}
