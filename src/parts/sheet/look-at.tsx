import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { checkWageData, type Problem } from '../../../server/contract/sheet.ts'
import { rows_a_part } from '../../../server/contract/words.ts'
import { query } from '../../api.ts'
import { Icon } from '../../ui/icon.tsx'
import { columnLetters, columnNamed } from './grid/geometry.ts'
import type { CellSearch } from './search.ts'

/** The problems of the cell that another page sent one to. */
export function useProblemsAt({ batch_id, row, col }: CellSearch): readonly Problem[] {
  const asked = useQuery({
    ...query(checkWageData, { batch_id: batch_id ?? '' }),
    enabled: batch_id !== undefined && row !== undefined,
  })
  const at = col === undefined ? null : columnNamed(col)
  return (asked.data?.problems ?? []).filter(
    (one) => one.row === row && (at === null || one.column === null || one.column === `c${at}`),
  )
}

/** Whoever came from the problems sees what was wrong, and finds the way back to them. */
export function LookAt({ search, problems }: { search: CellSearch; problems: readonly Problem[] }) {
  const { batch_id, row, col } = search
  const at = col === undefined ? null : columnNamed(col)
  const [first] = problems
  return (
    <section className="send-look" aria-label="要看的单元格">
      <Icon name="eye" />
      <p className="ui-grow">
        <b>
          {at !== null && `${columnLetters(at)} 列`}
          {row !== undefined && `第 ${((row - 1) % rows_a_part) + 1} 行`}
          {at === null && row === undefined && '看完或改好后，可以回到核对'}
        </b>
        {problems.length > 0 && `：${problems.map(({ message }) => message).join('；')}`}
      </p>
      <Link className="ui-button" to="/check" search={{ batch_id, ...(first ? { kind: first.kind, level: first.level } : {}) }}>
        回到核对
      </Link>
    </section>
  )
}
