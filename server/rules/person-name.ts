/** Comparison of typed names: marks and remarks next to a name describe the person and are not part of the name. */
import { normalizeText } from './text.ts'

const apostrophePattern = /['’‘‛ʼʻ`´＇′]/g
const middleDotPattern = /[·•・‧∙⋅･᛫•.]/g
/** A star or an asterisk before or after a name refers to a footnote or marks a group. */
const markPattern = /^[*＊★☆※▲△●○◆◇■□#✱√]+|[*＊★☆※▲△●○◆◇■□#✱√]+$/g

const removeMarks = (text: string): string => text.trim().replace(markPattern, '').trim()

/** Returns a comparison key without spaces, width, letter case, apostrophes, middle dots and marks at either end. */
export const toNameKey = (name: string): string =>
  plainChinesePattern.test(name)
    ? name
    : removeMarks(normalizeText(name.replace(apostrophePattern, "'")))
        .replace(/\s/g, '')
        .replace(middleDotPattern, '·')
        .toLowerCase()
/** Most names already equal their key. */
const plainChinesePattern = /^[\u4e00-\u9fff]+$/

/** Splits a bracketed remark from a name: `张三（退休返聘）` is 张三 with 退休返聘. Null if there is no such remark. */
export function splitRemark(name: string): { readonly name: string; readonly remark: string } | null {
  if (!/[(（【[]/.test(name)) return null
  const [, bare = '', remark = ''] = /^([^()（）【】[\]]+)[(（【[]([^()（）【】[\]]+)[)）】\]]$/.exec(removeMarks(name)) ?? []
  const [plain, remarkText] = [removeMarks(bare), remark.trim()]
  return plain === '' || remarkText === '' ? null : { name: plain, remark: remarkText }
}

/** Returns the key of a name and, if it has a remark, the key without the remark. */
export function getNameKeys(name: string): readonly string[] {
  const fullKey = toNameKey(name)
  const bare = splitRemark(name)
  return bare ? [fullKey, toNameKey(bare.name)] : [fullKey]
}

/** Returns whether two names are the same; a remark on one is ignored, two different remarks distinguish two people. */
export function isSameName(one: string, other: string): boolean {
  const [key, otherKey] = [toNameKey(one), toNameKey(other)]
  if (key === otherKey) return true
  const [split, otherBare] = [splitRemark(one), splitRemark(other)]
  if (split && !otherBare) return toNameKey(split.name) === otherKey
  return otherBare !== null && !split && toNameKey(otherBare.name) === key
}

/** Removes marks around a name for display. */
export const removeNameMarks = (name: string): string => removeMarks(normalizeText(name))
