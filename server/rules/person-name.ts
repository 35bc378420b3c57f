/** Names of people as clerks type them, made comparable: marks and remarks beside a name say something about the person and are no part of it. */
import { tidy } from './text.ts'

const apostrophes = /['’‘‛ʼʻ`´＇′]/g
const middleDots = /[·•・‧∙⋅･᛫•.]/g
/** A star or an asterisk before or behind a name points to a footnote or marks a group. */
const marks = /^[*＊★☆※▲△●○◆◇■□#✱√]+|[*＊★☆※▲△●○◆◇■□#✱√]+$/g

const withoutMarks = (text: string): string => text.trim().replace(marks, '').trim()

/** Equal names give equal keys, whatever the blanks, width, letter case, apostrophe, middle dot and marks at their ends. */
export const nameKey = (name: string): string =>
  plainChinese.test(name)
    ? name
    : withoutMarks(tidy(name.replace(apostrophes, "'")))
        .replace(/\s/g, '')
        .replace(middleDots, '·')
        .toLowerCase()
/** Most names: already what they are compared by. */
const plainChinese = /^[\u4e00-\u9fff]+$/

/** The name before a remark in brackets, and the remark: `张三（退休返聘）` is 张三 with 退休返聘. Null where there is no such remark. */
export function splitRemark(name: string): { readonly name: string; readonly remark: string } | null {
  if (!/[(（【[]/.test(name)) return null
  const [, bare = '', remark = ''] = /^([^()（）【】[\]]+)[(（【[]([^()（）【】[\]]+)[)）】\]]$/.exec(withoutMarks(name)) ?? []
  const [plain, said] = [withoutMarks(bare), remark.trim()]
  return plain === '' || said === '' ? null : { name: plain, remark: said }
}

/** The keys of a name and, where a remark stands behind it, of the name without the remark. */
export function nameKeys(name: string): readonly string[] {
  const whole = nameKey(name)
  const bare = splitRemark(name)
  return bare ? [whole, nameKey(bare.name)] : [whole]
}

/** The same name; a remark that only one of the two has makes no difference, two different remarks tell two people apart. */
export function isSameName(one: string, other: string): boolean {
  const [key, otherKey] = [nameKey(one), nameKey(other)]
  if (key === otherKey) return true
  const [bare, otherBare] = [splitRemark(one), splitRemark(other)]
  if (bare && !otherBare) return nameKey(bare.name) === otherKey
  return otherBare !== null && !bare && nameKey(otherBare.name) === key
}

/** What is shown of a name that came with marks around it. */
export const cleanName = (name: string): string => withoutMarks(tidy(name))
