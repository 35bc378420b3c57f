import type { OpeningPlan, OpeningRow } from '../../../../server/contract/tax/opening.ts'
import { Money } from '../../../components/value/money.tsx'
import { type AmountColumn, ImportPlanView } from '../import/plan-view.tsx'

const columns: readonly AmountColumn<OpeningRow>[] = [
  { title: '累计收入', render: ({ income_fen }) => <Money fen={income_fen} /> },
  { title: '累计专项扣除', render: ({ special_fen }) => <Money fen={special_fen} /> },
  { title: '累计已扣个税', render: ({ withheld_fen }) => <Money fen={withheld_fen} /> },
]

/** The opening balances that an import would save. */
export const OpeningPlanView = ({ plan }: { plan: OpeningPlan }) => (
  <ImportPlanView plan={plan} verb="引入" label="累计数" columns={columns} />
)
