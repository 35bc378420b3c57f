import { batchWords, salaryWords, soonWords } from '../../../server/contract/words/states.ts'
import type { BatchStatus, SalaryStatus } from '../../../server/contract/words/words.ts'
import { colour, type Tone } from '../../theme.ts'
import '../ui.css'

export const toneStyle = (tone: Tone) => ({ '--tone': colour(tone) })

type Props = { batch: BatchStatus; soon?: boolean } | { salary: SalaryStatus } | { word: string; tone: Tone }

/** A state: its word with a dot, the same everywhere. `<StatusDot salary="viewed" />`, `<StatusDot batch={row.status} />`; `soon`: it only waits for its undo time. */
export function StatusDot(props: Props) {
  const { word, tone } =
    'batch' in props ? (props.soon ? soonWords : batchWords[props.batch]) : 'salary' in props ? salaryWords[props.salary] : props
  return (
    <span className="ui-status" style={toneStyle(tone)} data-struck={word === '已撤回' || undefined}>
      {word}
    </span>
  )
}
