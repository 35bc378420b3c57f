/** Names of people as clerks type them, made comparable: marks and remarks beside a name say something about the person and are no part of it. */
import { normalizeText } from './text.ts'

const apostrophePattern = /['’‘‛ʼʻ`´＇′]/g
const middleDotPattern = /[·•・‧∙⋅･᛫•.]/g
/** A star or an asterisk before or behind a name points to a footnote or marks a group. */
const markPattern = /^[*＊★☆※▲△●○◆◇■□#✱√]+|[*＊★☆※▲△●○◆◇■□#✱√]+$/g

const removeMarks = (text: string): string => text.trim().replace(markPattern, '').trim()

/** Equal names give equal keys, whatever the blanks, width, letter case, apostrophe, middle dot and marks at their ends. */
export const toNameKey = (name: string): string =>
  plainChinesePattern.test(name)
    ? name
    : removeMarks(normalizeText(name.replace(apostrophePattern, "'")))
        .replace(/\s/g, '')
        .replace(middleDotPattern, '·')
        .toLowerCase()
/** Most names: already what they are compared by. */
const plainChinesePattern = /^[\u4e00-\u9fff]+$/

/** The name before a remark in brackets, and the remark: `张三（退休返聘）` is 张三 with 退休返聘. Null where there is no such remark. */
export function splitRemark(name: string): { readonly name: string; readonly remark: string } | null {
  if (!/[(（【[]/.test(name)) return null
  const [, bare = '', remark = ''] = /^([^()（）【】[\]]+)[(（【[]([^()（）【】[\]]+)[)）】\]]$/.exec(removeMarks(name)) ?? []
  const [plain, remarkText] = [removeMarks(bare), remark.trim()]
  return plain === '' || remarkText === '' ? null : { name: plain, remark: remarkText }
}

/** The keys of a name and, where a remark stands behind it, of the name without the remark. */
export function getNameKeys(name: string): readonly string[] {
  const fullKey = toNameKey(name)
  const bare = splitRemark(name)
  return bare ? [fullKey, toNameKey(bare.name)] : [fullKey]
}

/** The same name; a remark that only one of the two has makes no difference, two different remarks tell two people apart. */
export function isSameName(one: string, other: string): boolean {
  const [key, otherKey] = [toNameKey(one), toNameKey(other)]
  if (key === otherKey) return true
  const [split, otherBare] = [splitRemark(one), splitRemark(other)]
  if (split && !otherBare) return toNameKey(split.name) === otherKey
  return otherBare !== null && !split && toNameKey(otherBare.name) === key
}

/** What is shown of a name that came with marks around it. */
export const removeNameMarks = (name: string): string => removeMarks(normalizeText(name))
