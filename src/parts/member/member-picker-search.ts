/** What the member picker searches: null is the whole list, a name is that name. */
export type MemberSearch = string | null

/** Spec §5: an empty name, or one containing a space, is not searched. Clearing the box leads back to the whole list. */
export function parseMemberSearch(text: string | undefined): { search: MemberSearch | undefined; message: string } {
  if (!text) return { search: null, message: '' }
  return /\s/.test(text) ? { search: undefined, message: '姓名中间不能有空格，请去掉空格再搜索' } : { search: text, message: '' }
}
