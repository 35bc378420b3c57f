import { Link } from '@tanstack/react-router'
import { checkIsWageSheet } from '../../../../server/contract/shared/statuses.ts'
import type { WageSheetInfo } from '../../../../server/contract/sheets/sheet.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../components/value/counts.ts'
import styles from '../send.module.css'

/** Returns the questions that must be answered before the wage sheet can be used. */
export const getOpenQuestions = (sheet: WageSheetInfo | undefined) =>
  (sheet?.questions ?? []).filter((question) => question.must && question.answer === null)

const maxVisible = 3

/** The open questions, with a link to step 1, the only place where they are answered. */
export function OpenQuestions({ batch_id, sheet }: { batch_id: string; sheet: WageSheetInfo | undefined }) {
  const open = getOpenQuestions(sheet)
  const wages = sheet ? checkIsWageSheet(sheet) : true
  if (open.length === 0 && wages === true) return null
  return (
    <section className={styles.wrong} role="alert">
      <Icon name="help" />
      <div className="ui-grow">
        <strong>{wages === true ? `还有 ${formatCount(open.length)} 个问题没有回答，回答后才能继续` : wages}</strong>
        <ul className={styles.list}>
          {open.slice(0, maxVisible).map(({ id, message }) => (
            <li key={id}>{message}</li>
          ))}
          {open.length > maxVisible && <li>……</li>}
        </ul>
      </div>
      <Link className="ui-button" to="/wageSend1" search={{ batch_id, from: 'check' }}>
        {wages === true ? '回到第 1 步回答' : '回到第 1 步'}
      </Link>
    </section>
  )
}
