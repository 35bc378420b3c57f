import type { SheetInfo } from '../../../../server/contract/sheet/sheet.ts'
import { Icon } from '../../../ui/icon.tsx'
import { monthName } from '../../../ui/value/dates.ts'
import { columnName } from '../words.ts'
import styles from './asked.module.css'

/** What was taken over from an earlier sheet, and only what is different this time. */
export function Remembered({ info, onLook }: { info: SheetInfo; onLook: (key: string) => void }) {
  const { remembered } = info
  if (!remembered) return null
  const { fresh, missing, renamed } = remembered
  const columnOf = (key: string) => info.columns.find((column) => column.key === key)
  const same = fresh.length + missing.length + renamed.length === 0
  const from = remembered.name ?? remembered.title
  const when = remembered.month ? `（${monthName(remembered.month)}）` : ''
  const look = (key: string) => {
    const column = columnOf(key)
    return (
      column && (
        <button key={key} type="button" onClick={() => onLook(key)}>
          {column.col} 列「{columnName(column)}」
        </button>
      )
    )
  }
  return (
    <section className={styles.remembered} aria-label="沿用上次的设置">
      <Icon name={same ? 'check' : 'help'} size={16} />
      <div>
        <p>
          {from ? `和「${from}」${when}` : '和以前上传过的表'}
          {same ? '是同样的表头，已沿用上次的列用途和排版' : '是同样的表头，只有这些不同：'}
        </p>
        {!same && (
          <ul>
            {fresh.length > 0 && <li>新增：{fresh.map(look)}</li>}
            {renamed.length > 0 && (
              <li>
                改名：
                {renamed.map(({ key, from: old }) => (
                  <span key={key}>
                    「{old}」→ {look(key)}
                  </span>
                ))}
              </li>
            )}
            {missing.length > 0 && <li>少了：{missing.map(({ label }) => `「${label}」`).join('、')}</li>}
          </ul>
        )}
      </div>
    </section>
  )
}
