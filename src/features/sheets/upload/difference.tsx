import { rowsPerSheet } from '../../../../server/contract/shared/schemas.ts'
import type { SheetDifference } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import sendStyles from '../send.module.css'
import styles from './upload.module.css'

const renderNames = (list: readonly { row: number; name: string }[], count: number) => (
  <p>
    {list
      .slice(0, 30)
      .map(({ name }) => name || '没有姓名')
      .join('、')}
    {count > Math.min(30, list.length) && ` 等 ${formatCount(count)} 人`}
  </p>
)

/** Counts the employees that the corrected wage sheet affects. */
export const countAffected = (difference: SheetDifference) =>
  difference.changed_count + difference.added_count + difference.removed_count

const formatDifference = (difference: SheetDifference) =>
  [
    difference.unchanged_count > 0 && `${formatCount(difference.unchanged_count)} 人不变`,
    difference.changed_count > 0 && `${formatCount(difference.changed_count)} 人有改动`,
    difference.added_count > 0 && `新增 ${formatCount(difference.added_count)} 人`,
    difference.removed_count > 0 && `移除 ${formatCount(difference.removed_count)} 人`,
  ]
    .filter((text) => text !== false)
    .join('，')

/** The changes of a corrected wage sheet, employee by employee, before anything is replaced. */
export function SheetDifferenceView({ difference }: { difference: SheetDifference }) {
  const { changed, added, removed, columns_added, columns_removed } = difference
  const isUnchanged = countAffected(difference) === 0 && columns_added.length + columns_removed.length === 0
  return (
    <div className={styles.difference}>
      <p className="ui-label">
        {isUnchanged
          ? `${formatCount(difference.unchanged_count)} 人的数据和现在的完全一样。`
          : `${formatDifference(difference)}。`}
      </p>
      {difference.unchanged_count + difference.changed_count === 0 && difference.removed_count > 0 && (
        <div className={sendStyles.wrong} data-tone="warn" role="alert">
          <Icon name="warn" />
          <p>现在的 {formatCount(difference.removed_count)} 人在这份表里一个也没有。请确认没有选错文件。</p>
        </div>
      )}
      {(columns_added.length > 0 || columns_removed.length > 0) && (
        <section>
          {columns_added.length > 0 && <p>多了这些列：{columns_added.join('、')}</p>}
          {columns_removed.length > 0 && <p>少了这些列：{columns_removed.join('、')}</p>}
        </section>
      )}
      {changed.length > 0 && (
        <section>
          <h3>有改动 {formatCount(difference.changed_count)} 人</h3>
          <ul>
            {changed.map((row) => (
              <li key={row.row}>
                <b>{row.name || `第 ${((row.row - 1) % rowsPerSheet) + 1} 行`}</b>
                <span>
                  {row.cells.map((cell) => (
                    <span key={cell.label} className={styles.differenceCell}>
                      {cell.label} <del>{cell.from || '空'}</del> → <ins>{cell.to || '空'}</ins>
                    </span>
                  ))}
                </span>
              </li>
            ))}
          </ul>
          {difference.changed_count > changed.length && <p className="ui-hint">只列出前 {formatCount(changed.length)} 人</p>}
        </section>
      )}
      {added.length > 0 && (
        <section>
          <h3>新增 {formatCount(difference.added_count)} 人</h3>
          {renderNames(added, difference.added_count)}
        </section>
      )}
      {removed.length > 0 && (
        <section>
          <h3>移除 {formatCount(difference.removed_count)} 人</h3>
          {renderNames(removed, difference.removed_count)}
        </section>
      )}
    </div>
  )
}
