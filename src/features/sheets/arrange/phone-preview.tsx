import { useQuery } from '@tanstack/react-query'
import { Button, Select } from 'antd'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { getPreview, getPreviewMember } from '../../../../server/contract/sheets/sheet.ts'
import { callQuery, queryClient } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { ErrorState } from '../../../components/state/error-state.tsx'
import { Skeleton } from '../../../components/state/skeleton.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import { PayslipView } from '../../payslips/view/slip-view.tsx'
import styles from './arrange.module.css'

/** How many members one request loads; previous and next load further pages automatically. */
const pagesize = 50

type PhonePreviewProps = { batch_id: string; row: number | undefined; onRow: (row: number) => void }

/** The previewed member, their neighbours, and the members found by a search. */
function usePreviewedMember({ batch_id, row, onRow }: PhonePreviewProps) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [page, setPage] = useState(1)
  // Searches when typing pauses.
  useEffect(() => {
    const timer = setTimeout(() => setName(text.trim()), 300)
    return () => clearTimeout(timer)
  }, [text])
  const members = useQuery({ ...callQuery(getPreviewMember, { batch_id, page, pagesize }), placeholderData: (old) => old })
  const matches = useQuery({ ...callQuery(getPreviewMember, { batch_id, name, page: 1, pagesize }), enabled: name !== '' })
  const list = members.data?.list ?? []
  const total = members.data?.page.total ?? 0
  const index = row === undefined ? 0 : list.findIndex((member) => member.row === row)
  const visibleRow = row ?? list[0]?.row
  const [isChangingPage, setChangingPage] = useState(false)
  const fetchPage = (pageNumber: number) =>
    queryClient.fetchQuery(callQuery(getPreviewMember, { batch_id, page: pageNumber, pagesize }))
  const move = async (direction: -1 | 1) => {
    const neighbor = index < 0 ? undefined : list[index + direction]
    if (neighbor) return onRow(neighbor.row)
    setChangingPage(true)
    try {
      const from = index < 0 && visibleRow !== undefined ? await locateRow(visibleRow, fetchPage) : { page, at: index }
      const nextMember = (await fetchPage(from.page)).list[from.at + direction]
      const nextPage = nextMember ? from.page : from.page + direction
      const member = nextMember ?? (await fetchPage(nextPage)).list.at(direction > 0 ? 0 : -1)
      setPage(nextPage)
      if (member) onRow(member.row)
    } catch {
      // The query's own handler reports the error; the current payslip stays.
    } finally {
      setChangingPage(false)
    }
  }
  // A member found by name is on an unknown page, so both directions are enabled.
  const number = index < 0 ? null : (page - 1) * pagesize + index + 1
  const options = (name ? (matches.data?.list ?? []) : list).map((member) => ({
    value: member.row,
    label: [member.name || `第 ${member.row} 行`, member.department].filter(Boolean).join(' · '),
  }))
  const selectedMember = [...list, ...(matches.data?.list ?? [])].find((member) => member.row === visibleRow)
  return {
    people: members,
    total,
    visible: visibleRow,
    number,
    turning: isChangingPage,
    go: move,
    search: { text, setText, options, existing: selectedMember, busy: matches.isFetching },
  }
}

/** The payslip of one member on a phone, exactly as the employee will see it; with previous, next, and search by name. */
export function PhonePreview(props: PhonePreviewProps) {
  const { batch_id, onRow } = props
  const {
    people: members,
    total,
    visible: visibleRow,
    number,
    turning: isChangingPage,
    go: move,
    search,
  } = usePreviewedMember(props)
  const slip = useQuery({
    ...callQuery(getPreview, { batch_id, ...(visibleRow === undefined ? {} : { row: visibleRow }) }),
    enabled: visibleRow !== undefined,
    // The old payslip stays until the new one has loaded, so that nothing flickers during editing.
    placeholderData: (old) => old,
  })
  const onKey = ({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent) => {
    // In the search box the arrow keys belong to the text.
    if (
      isChangingPage ||
      altKey ||
      ctrlKey ||
      metaKey ||
      !(target instanceof HTMLElement) ||
      target.matches('input, [role="combobox"]')
    )
      return
    if (key === 'ArrowLeft' && (number === null || number > 1)) void move(-1)
    else if (key === 'ArrowRight' && (number === null || number < total)) void move(1)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons and its frame take the focus; the arrows do what the buttons do
    <aside className={styles.phone} aria-label="手机预览" onKeyDown={onKey}>
      <div className={`ui-row ${styles.phoneWho}`}>
        <Button
          aria-label="上一位"
          disabled={number !== null && number <= 1}
          icon={<Icon name="back" />}
          loading={isChangingPage}
          onClick={() => void move(-1)}
        />
        <Select
          aria-label="选择要预览的人"
          className="ui-grow"
          value={visibleRow ?? null}
          options={search.options}
          {...(search.existing ? { labelRender: () => formatMemberName(search.existing) } : {})}
          showSearch={{ filterOption: false, searchValue: search.text, onSearch: search.setText }}
          loading={search.busy}
          notFoundContent="这批工资条里没有这个人"
          placeholder="搜索姓名"
          onSelect={(next: number) => {
            search.setText('')
            onRow(next)
          }}
        />
        <Button
          aria-label="下一位"
          disabled={number !== null && number >= total}
          icon={<Icon name="arrow" />}
          loading={isChangingPage}
          onClick={() => void move(1)}
        />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- longer than its frame, so it is scrolled with the keyboard */}
      <section className={styles.phoneFrame} tabIndex={0} aria-label="工资条，左右键换人">
        {slip.data ? (
          <PayslipView slip={slip.data} />
        ) : (slip.error ?? members.error) ? (
          <ErrorState error={slip.error ?? members.error} retry={() => void Promise.all([members.refetch(), slip.refetch()])} />
        ) : members.data && total === 0 ? (
          <p className={styles.phoneNone}>没有可以预览的人</p>
        ) : (
          <Skeleton rows={8} />
        )}
      </section>
      <p className="ui-hint">
        员工在手机上看到的就是这样。
        {number !== null && total > 0
          ? `第 ${number} 位，共 ${formatCount(total)} 人`
          : total > 0 && `共 ${formatCount(total)} 人`}
      </p>
    </aside>
  )
}

const formatMemberName = (member: { name: string; row: number; department: string } | undefined): string =>
  member ? `${member.name || `第 ${member.row} 行`}（${member.department || '无部门'}）` : ''

type MemberPage = { list: { row: number }[]; page: { total: number } }
/** Finds the position of a row among the members. Rows are ordered, so a guess is corrected within one or two requests. */
async function locateRow(row: number, fetchPage: (page: number) => Promise<MemberPage>): Promise<{ page: number; at: number }> {
  const first = await fetchPage(1)
  let low = 1
  let high = Math.max(1, Math.ceil(first.page.total / pagesize))
  let page = Math.min(high, Math.max(1, Math.ceil((row - (first.list[0]?.row ?? row) + 1) / pagesize)))
  while (low < high) {
    const { list } = await fetchPage(page)
    if (row < (list[0]?.row ?? row)) high = Math.max(low, page - 1)
    else if (row > (list.at(-1)?.row ?? row)) low = Math.min(high, page + 1)
    else break
    page = Math.floor((low + high) / 2)
  }
  const { list } = await fetchPage(page)
  const index = list.findIndex((member) => member.row === row)
  return { page, at: Math.max(0, index) }
}
