import type { WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatMonth } from '../../../components/value/dates.ts'
import { getColumnName } from '../labels.ts'
import styles from './questions.module.css'

/** What was taken from an earlier wage sheet; lists only this time's differences. */
export function RememberedMapping({ info, onView: onShowColumn }: { info: WageSheetInfo; onView: (key: string) => void }) {
  const { remembered } = info
  if (!remembered) return null
  const { fresh: added, missing, renamed } = remembered
  const findColumn = (key: string) => info.columns.find((column) => column.key === key)
  const isUnchanged = added.length + missing.length + renamed.length === 0
  const source = remembered.name ?? remembered.title
  const monthText = remembered.month ? `（${formatMonth(remembered.month)}）` : ''
  const renderColumnLink = (key: string) => {
    const column = findColumn(key)
    return (
      column && (
        <button key={key} type="button" onClick={() => onShowColumn(key)}>
          {column.col} 列「{getColumnName(column)}」
        </button>
      )
    )
  }
  return (
    <section className={styles.remembered} aria-label="沿用上次的设置">
      <Icon name={isUnchanged ? 'check' : 'help'} size={16} />
      <div>
        <p>
          {source ? `和「${source}」${monthText}` : '和以前上传过的表'}
          {isUnchanged ? '是同样的表头，已沿用上次的列用途和排版' : '是同样的表头，只有这些不同：'}
        </p>
        {!isUnchanged && (
          <ul>
            {added.length > 0 && <li>新增：{added.map(renderColumnLink)}</li>}
            {renamed.length > 0 && (
              <li>
                改名：
                {renamed.map(({ key, from: formerLabel }) => (
                  <span key={key}>
                    「{formerLabel}」→ {renderColumnLink(key)}
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
