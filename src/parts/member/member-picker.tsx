import { useInfiniteQuery } from '@tanstack/react-query'
import { Checkbox, Radio } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../server/contract/call.ts'
import { getManagerMemberList } from '../../../server/contract/corp/role.ts'
import { getMemberList } from '../../../server/contract/people/member.ts'
import { ask } from '../../api.ts'
import { FilterTag } from '../../ui/page/filter-tag.tsx'
import { SearchBox } from '../../ui/page/search-box.tsx'
import { gathered } from '../../ui/search.ts'
import { Endless } from '../../ui/state/endless.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import styles from './member-picker.module.css'
import { type PersonSearch, searchOf } from './member-picker-search.ts'

type Found = OutputOf<typeof getManagerMemberList>
export type PickedPerson = Found['list'][number]

/** Spec §9: a page of the list, and how many people a search answers: 20 where a payroll administrator is chosen, else 30. */
const pageSize = 10
export const searchLimit = (manager?: 2): number => (manager ? 20 : 30)

type Props = {
  /** Named by what is chosen here: 「移交给」, 「成员」. */
  label: string
  value: readonly PickedPerson[]
  onChange: (people: PickedPerson[]) => void
  multiple?: boolean
  /** 2: candidates for payroll administration, as the specification sends it. */
  manager?: 2
  /** The whole roster without a search, ten at a time. Otherwise people are found by name only. */
  endless?: boolean
  /** Anybody of the roster, oneself too: choosing gives nobody a power, so that nobody need have signed in. */
  everybody?: boolean
  /** Why this person cannot be chosen; null when he can. */
  cannot?: (person: PickedPerson) => string | null
  /** Who is not in the list at all: the one who hands over. */
  without?: readonly string[]
}

type Asked = Pick<Props, 'manager' | 'everybody'> & {
  readonly search: PersonSearch
  readonly page: number
  readonly signal: AbortSignal
}
async function findPeople({ manager, everybody, search, page, signal }: Asked): Promise<Found> {
  const wanted = search ? { name: search, page: 1, pagesize: searchLimit(manager) } : { page, pagesize: pageSize }
  if (!everybody) return ask(getManagerMemberList, { ...(manager ? { manager } : {}), ...wanted }, { signal })
  const found = await ask(getMemberList, wanted, { signal })
  const list = found.list.map(({ ID, NAME, MOBILE, DEPARTMENTS, EMPLOYEE_NO }) => ({
    ID,
    NAME,
    MOBILE,
    DEPARTMENTS: [EMPLOYEE_NO && `工号 ${EMPLOYEE_NO}`, ...DEPARTMENTS.map((one) => one.NAME)].filter(Boolean),
    USER_ID: null,
    POWER: [],
    JOINED: true,
  }))
  return { list, page: found.page, total_count: found.page.total }
}

const notYet = (person: PickedPerson) => (person.JOINED ? null : '还没有用验证码登录过，登录后才能选')

/** Finds people by name and chooses one or several. Typed text is searched on Enter or by the icon. */
export function MemberPicker(props: Props) {
  const { label, value, onChange, multiple = false, manager, endless = true, everybody = false, cannot, without = [] } = props
  const [search, setSearch] = useState<PersonSearch>(null)
  const [said, setSaid] = useState('')
  const found = useInfiniteQuery({
    queryKey: [getManagerMemberList.name, { manager, everybody, search }],
    queryFn: ({ pageParam, signal }) =>
      findPeople({ ...(manager ? { manager } : {}), everybody, search, page: pageParam, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ page }) => (!search && page.page * page.pagesize < page.total ? page.page + 1 : undefined),
    enabled: endless || search !== null,
  })
  const find = (text: string | undefined) => {
    const next = searchOf(text)
    setSaid(next.said)
    if (next.search !== undefined) setSearch(next.search)
  }
  const chosen = new Set(value.map(({ ID }) => ID))
  const choose = (person: PickedPerson, on: boolean) => {
    if (!multiple) onChange([person])
    else onChange(on ? [...value, person] : value.filter(({ ID }) => ID !== person.ID))
  }
  const people = gathered(found.data?.pages ?? []).filter(({ ID }) => !without.includes(ID))
  const most = searchLimit(manager)
  const total = found.data?.pages[0]?.total_count ?? 0
  return (
    <div className={styles.people}>
      <SearchBox value={search ?? undefined} onSearch={find} placeholder="按姓名查找，回车搜索" width="100%" />
      {said && (
        <p className="ui-hint" role="status">
          {said}
        </p>
      )}
      {multiple && value.length > 0 && (
        <div className="ui-tags" role="group" aria-label="已选">
          {value.map((person) => (
            <FilterTag key={person.ID} act="移除" onRemove={() => choose(person, false)}>
              {person.NAME}
            </FilterTag>
          ))}
        </div>
      )}
      {!endless && search === null ? null : found.error && !found.data ? (
        <ErrorState error={found.error} retry={() => void found.refetch()} />
      ) : !found.data ? (
        <Skeleton rows={4} />
      ) : people.length === 0 ? (
        <p className={styles.peopleNone} role="status">
          {search ? `没有找到叫「${search}」的人，换个名字试试` : '花名册里还没有其他人，请先添加员工'}
        </p>
      ) : (
        <Endless label={label} more={found.hasNextPage} busy={found.isFetchingNextPage} onMore={() => void found.fetchNextPage()}>
          <ul>
            {people.map((person) => (
              <Row
                key={person.ID}
                person={person}
                multiple={multiple}
                chosen={chosen.has(person.ID)}
                reason={notYet(person) ?? cannot?.(person) ?? null}
                onChoose={(on) => choose(person, on)}
              />
            ))}
          </ul>
          {search && total > most && <p>只显示前 {most} 人，请把姓名写得更完整</p>}
        </Endless>
      )}
    </div>
  )
}

type RowProps = {
  person: PickedPerson
  multiple: boolean
  chosen: boolean
  reason: string | null
  onChoose: (on: boolean) => void
}

function Row({ person, multiple, chosen, reason, onChoose }: RowProps) {
  const Mark = multiple ? Checkbox : Radio
  return (
    <li>
      <Mark
        className={styles.peopleRow}
        checked={chosen}
        disabled={reason !== null}
        onChange={(event) => onChoose(event.target.checked)}
      >
        <span className={styles.peopleName}>
          <strong>{person.NAME}</strong>
          <span className="ui-nowrap">{person.MOBILE}</span>
        </span>
        <small>{reason ?? (person.DEPARTMENTS.join('、') || '还没有部门')}</small>
      </Mark>
    </li>
  )
}
