import { useQuery } from '@tanstack/react-query'
import { Button, Select } from 'antd'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { getPreview, getPreviewMember } from '../../../server/contract/sheet/sheet.ts'
import { cache, query } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { SlipView } from '../slip/view/slip-view.tsx'
import styles from './arrange.module.css'

/** How many people are asked for at once; previous and next walk through them and turn the page by themselves. */
const pagesize = 50

type Previewing = { batch_id: string; row: number | undefined; onRow: (row: number) => void }

/** Who is on view, who stands beside him, and whom a search finds. */
function useWho({ batch_id, row, onRow }: Previewing) {
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const [page, setPage] = useState(1)
  // Asks when the typing rests.
  useEffect(() => {
    const timer = setTimeout(() => setName(text.trim()), 300)
    return () => clearTimeout(timer)
  }, [text])
  const people = useQuery({ ...query(getPreviewMember, { batch_id, page, pagesize }), placeholderData: (old) => old })
  const found = useQuery({ ...query(getPreviewMember, { batch_id, name, page: 1, pagesize }), enabled: name !== '' })
  const list = people.data?.list ?? []
  const total = people.data?.page.total ?? 0
  const at = row === undefined ? 0 : list.findIndex((one) => one.row === row)
  const shown = row ?? list[0]?.row
  const [turning, setTurning] = useState(false)
  const pageOf = (wanted: number) => cache.fetchQuery(query(getPreviewMember, { batch_id, page: wanted, pagesize }))
  const go = async (way: -1 | 1) => {
    const beside = at < 0 ? undefined : list[at + way]
    if (beside) return onRow(beside.row)
    setTurning(true)
    try {
      const from = at < 0 && shown !== undefined ? await locate(shown, pageOf) : { page, at }
      const here = (await pageOf(from.page)).list[from.at + way]
      const turned = here ? from.page : from.page + way
      const person = here ?? (await pageOf(turned)).list.at(way > 0 ? 0 : -1)
      setPage(turned)
      if (person) onRow(person.row)
    } catch {
      // Said by the query's own handler; the slip that is shown stays.
    } finally {
      setTurning(false)
    }
  }
  // Whoever was found by name stands on a page that is not known yet: both ways are open.
  const number = at < 0 ? null : (page - 1) * pagesize + at + 1
  const options = (name ? (found.data?.list ?? []) : list).map((one) => ({
    value: one.row,
    label: [one.name || `第 ${one.row} 行`, one.department].filter(Boolean).join(' · '),
  }))
  const known = [...list, ...(found.data?.list ?? [])].find((one) => one.row === shown)
  return { people, total, shown, number, turning, go, search: { text, setText, options, known, busy: found.isFetching } }
}

/** The slip of one person on a phone, exactly as it will be seen; previous, next, or by name. */
export function PhonePreview(props: Previewing) {
  const { batch_id, onRow } = props
  const { people, total, shown, number, turning, go, search } = useWho(props)
  const slip = useQuery({
    ...query(getPreview, { batch_id, ...(shown === undefined ? {} : { row: shown }) }),
    enabled: shown !== undefined,
    // The old slip stays until the new one is there, so that nothing flickers while one arranges.
    placeholderData: (old) => old,
  })
  const onKey = ({ key, target, altKey, ctrlKey, metaKey }: KeyboardEvent) => {
    // In the search the arrows belong to what is typed.
    if (turning || altKey || ctrlKey || metaKey || !(target instanceof HTMLElement) || target.matches('input, [role="combobox"]'))
      return
    if (key === 'ArrowLeft' && (number === null || number > 1)) void go(-1)
    else if (key === 'ArrowRight' && (number === null || number < total)) void go(1)
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its buttons and its frame take the focus; the arrows do what the buttons do
    <aside className={styles.phone} aria-label="手机预览" onKeyDown={onKey}>
      <div className={`ui-row ${styles.phoneWho}`}>
        <Button
          aria-label="上一位"
          disabled={number !== null && number <= 1}
          icon={<Icon name="back" />}
          loading={turning}
          onClick={() => void go(-1)}
        />
        <Select
          aria-label="选择要预览的人"
          className="ui-grow"
          value={shown ?? null}
          options={search.options}
          {...(search.known ? { labelRender: () => nameOf(search.known) } : {})}
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
          loading={turning}
          onClick={() => void go(1)}
        />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- longer than its frame, so it is scrolled with the keyboard */}
      <section className={styles.phoneFrame} tabIndex={0} aria-label="工资条，左右键换人">
        {slip.data ? (
          <SlipView slip={slip.data} />
        ) : (slip.error ?? people.error) ? (
          <ErrorState error={slip.error ?? people.error} retry={() => void Promise.all([people.refetch(), slip.refetch()])} />
        ) : people.data && total === 0 ? (
          <p className={styles.phoneNone}>没有可以预览的人</p>
        ) : (
          <Skeleton rows={8} />
        )}
      </section>
      <p className="ui-hint">
        员工在手机上看到的就是这样。
        {number !== null && total > 0 ? `第 ${number} 位，共 ${total} 人` : total > 0 && `共 ${total} 人`}
      </p>
    </aside>
  )
}

const nameOf = (one: { name: string; row: number; department: string } | undefined): string =>
  one ? `${one.name || `第 ${one.row} 行`}（${one.department || '无部门'}）` : ''

type People = { list: { row: number }[]; page: { total: number } }
/** Where a row stands among the people. Rows are in order, so a guess is put right in a step or two. */
async function locate(row: number, pageOf: (page: number) => Promise<People>): Promise<{ page: number; at: number }> {
  const first = await pageOf(1)
  let low = 1
  let high = Math.max(1, Math.ceil(first.page.total / pagesize))
  let page = Math.min(high, Math.max(1, Math.ceil((row - (first.list[0]?.row ?? row) + 1) / pagesize)))
  while (low < high) {
    const { list } = await pageOf(page)
    if (row < (list[0]?.row ?? row)) high = Math.max(low, page - 1)
    else if (row > (list.at(-1)?.row ?? row)) low = Math.min(high, page + 1)
    else break
    page = Math.floor((low + high) / 2)
  }
  const { list } = await pageOf(page)
  const at = list.findIndex((one) => one.row === row)
  return { page, at: Math.max(0, at) }
}
