import { useInfiniteQuery } from '@tanstack/react-query'
import { Checkbox, Radio } from 'antd'
import { useState } from 'react'
import { getManagerMemberList } from '../../../server/contract/access/administrators.ts'
import type { CallOutput } from '../../../server/contract/call.ts'
import { getMemberList } from '../../../server/contract/directory/members.ts'
import { callApi } from '../../api.ts'
import { FilterTag } from '../../components/page/filter-tag.tsx'
import { SearchBox } from '../../components/page/search-box.tsx'
import { flattenPages } from '../../components/search-params.ts'
import { ErrorState } from '../../components/state/error-state.tsx'
import { InfiniteList } from '../../components/state/infinite-list.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import styles from './member-picker.module.css'
import { type MemberSearch, parseMemberSearch } from './member-picker-search.ts'

type MemberPage = CallOutput<typeof getManagerMemberList>
export type SelectedMember = MemberPage['list'][number]

/** The page size, and the maximum number of search results: 20 when a payroll administrator is chosen, else 30 (spec §9). */
const pageSize = 10
export const getSearchLimit = (manager?: 2): number => (manager ? 20 : 30)

type MemberPickerProps = {
  /** The label of the choice, such as 「移交给」 or 「成员」. */
  label: string
  value: readonly SelectedMember[]
  onChange: (people: SelectedMember[]) => void
  multiple?: boolean
  /** The value 2 requests candidates for payroll administration, as the specification defines the parameter. */
  manager?: 2
  /** Lists the whole roster without a search, ten at a time. Otherwise members are found by name only. */
  listsAll?: boolean
  /** Includes every member, the current user and those who never signed in: this choice grants no power. */
  includesAll?: boolean
  /** Returns why a member cannot be chosen; null if they can. */
  getDisabledReason?: (person: SelectedMember) => string | null
  /** Members excluded from the list, such as the one who transfers. */
  excludedIds?: readonly string[]
}

type FindMembersParams = Pick<MemberPickerProps, 'manager' | 'includesAll'> & {
  readonly search: MemberSearch
  readonly page: number
  readonly signal: AbortSignal
}
async function findMembers({ manager, includesAll, search, page, signal }: FindMembersParams): Promise<MemberPage> {
  const params = search ? { name: search, page: 1, pagesize: getSearchLimit(manager) } : { page, pagesize: pageSize }
  if (!includesAll) return callApi(getManagerMemberList, { ...(manager ? { manager } : {}), ...params }, { signal })
  const result = await callApi(getMemberList, params, { signal })
  const list = result.list.map(({ ID, NAME, MOBILE, DEPARTMENTS, EMPLOYEE_NO }) => ({
    ID,
    NAME,
    MOBILE,
    DEPARTMENTS: [EMPLOYEE_NO && `工号 ${EMPLOYEE_NO}`, ...DEPARTMENTS.map((department) => department.NAME)].filter(Boolean),
    USER_ID: null,
    POWER: [],
    JOINED: true,
  }))
  return { list, page: result.page, total_count: result.page.total }
}

const getNotJoinedReason = (member: SelectedMember) => (member.JOINED ? null : '还没有用验证码登录过，登录后才能选')

/** Finds members by name and selects one or several. Typed text is searched on Enter or by the icon. */
export function MemberPicker(props: MemberPickerProps) {
  const {
    label,
    value,
    onChange,
    multiple = false,
    manager,
    listsAll = true,
    includesAll = false,
    getDisabledReason,
    excludedIds = [],
  } = props
  const [search, setSearch] = useState<MemberSearch>(null)
  const [message, setMessage] = useState('')
  const members = useInfiniteQuery({
    queryKey: [getManagerMemberList.name, { manager, everybody: includesAll, search }],
    queryFn: ({ pageParam, signal }) =>
      findMembers({ ...(manager ? { manager } : {}), includesAll, search, page: pageParam, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page }) => (!search && page.page * page.pagesize < page.total ? page.page + 1 : undefined),
    enabled: listsAll || search !== null,
  })
  const submitSearch = (text: string | undefined) => {
    const next = parseMemberSearch(text)
    setMessage(next.message)
    if (next.search !== undefined) setSearch(next.search)
  }
  const selectedIds = new Set(value.map(({ ID }) => ID))
  const toggleMember = (member: SelectedMember, isOn: boolean) => {
    if (!multiple) onChange([member])
    else onChange(isOn ? [...value, member] : value.filter(({ ID }) => ID !== member.ID))
  }
  const visibleMembers = flattenPages(members.data?.pages ?? []).filter(({ ID }) => !excludedIds.includes(ID))
  const limit = getSearchLimit(manager)
  const total = members.data?.pages[0]?.total_count ?? 0
  return (
    <div className={styles.people}>
      <SearchBox value={search ?? undefined} onSearch={submitSearch} placeholder="按姓名查找，回车搜索" width="100%" />
      {message && (
        <p className="ui-hint" role="status">
          {message}
        </p>
      )}
      {multiple && value.length > 0 && (
        <div className="ui-tags" role="group" aria-label="已选">
          {value.map((member) => (
            <FilterTag key={member.ID} act="移除" onRemove={() => toggleMember(member, false)}>
              {member.NAME}
            </FilterTag>
          ))}
        </div>
      )}
      {!listsAll && search === null ? null : members.error && !members.data ? (
        <ErrorState error={members.error} retry={() => void members.refetch()} />
      ) : !members.data ? (
        <Skeleton rows={4} />
      ) : visibleMembers.length === 0 ? (
        <p className={styles.peopleNone} role="status">
          {search ? `没有找到叫「${search}」的人，换个名字试试` : '花名册里还没有其他人，请先添加员工'}
        </p>
      ) : (
        <InfiniteList
          label={label}
          more={members.hasNextPage}
          busy={members.isFetchingNextPage}
          onMore={() => void members.fetchNextPage()}
        >
          <ul>
            {visibleMembers.map((member) => (
              <MemberOption
                key={member.ID}
                member={member}
                multiple={multiple}
                isSelected={selectedIds.has(member.ID)}
                reason={getNotJoinedReason(member) ?? getDisabledReason?.(member) ?? null}
                onSelect={(isOn) => toggleMember(member, isOn)}
              />
            ))}
          </ul>
          {search && total > limit && <p>只显示前 {limit} 人，请把姓名写得更完整</p>}
        </InfiniteList>
      )}
    </div>
  )
}

type MemberOptionProps = {
  member: SelectedMember
  multiple: boolean
  isSelected: boolean
  reason: string | null
  onSelect: (on: boolean) => void
}

function MemberOption({ member, multiple, isSelected, reason, onSelect }: MemberOptionProps) {
  const Control = multiple ? Checkbox : Radio
  return (
    <li>
      <Control
        className={styles.peopleRow}
        checked={isSelected}
        disabled={reason !== null}
        onChange={(event) => onSelect(event.target.checked)}
      >
        <span className={styles.peopleName}>
          <strong>{member.NAME}</strong>
          <span className="ui-nowrap">{member.MOBILE}</span>
        </span>
        <small>{reason ?? (member.DEPARTMENTS.join('、') || '还没有部门')}</small>
      </Control>
    </li>
  )
}
