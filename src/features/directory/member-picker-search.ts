/** The search of the member picker: null is the whole list, a string is a name. */
export type MemberSearch = string | null

/** Parses the search text. Empty or with a space: not searched (spec §5); clearing the box shows the whole list. */
export function parseMemberSearch(text: string | undefined): { search: MemberSearch | undefined; message: string } {
  if (!text) return { search: null, message: '' }
  return /\s/.test(text) ? { search: undefined, message: '姓名中间不能有空格，请删除空格再搜索' } : { search: text, message: '' }
}
