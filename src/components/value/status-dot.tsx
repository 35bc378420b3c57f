import type { BatchStatus, PayslipStatus } from '../../../server/contract/shared/schemas.ts'
import { batchStatusLabels, dispatchPendingLabel, payslipStatusLabels } from '../../../server/contract/shared/statuses.ts'
import { type StatusColor, toCssColor } from '../../theme.ts'
import '../ui.css'

export const getColorStyle = (color: StatusColor) => ({ '--tone': toCssColor(color) })

type StatusDotProps =
  | { batch: BatchStatus; dispatchPending?: boolean }
  | { salary: PayslipStatus }
  | { label: string; color: StatusColor }

/**
 * A status: its label with a dot, the same everywhere. `<StatusDot salary="viewed" />`, `<StatusDot batch={row.status}
 * />`; `dispatchPending`: it only waits for its undo time.
 */
export function StatusDot(props: StatusDotProps) {
  const { label, color } =
    'batch' in props
      ? props.dispatchPending
        ? dispatchPendingLabel
        : batchStatusLabels[props.batch]
      : 'salary' in props
        ? payslipStatusLabels[props.salary]
        : props
  return (
    <span className="ui-status" style={getColorStyle(color)} data-struck={label === '已撤回' || undefined}>
      {label}
    </span>
  )
}
