import { useQuery } from '@tanstack/react-query'
import { Form, Input } from 'antd'
import { useState } from 'react'
import { saveIncome } from '../../../../server/contract/wage/periods.ts'
import { getPersonTax } from '../../../../server/contract/wage/tax/tax-history.ts'
import { intent, query, useCall } from '../../../api.ts'
import { Dialog, FormDialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from '../period/period.module.css'
import {
  amountNames,
  amountRule,
  amountWords,
  mayBeScheme,
  type PeriodHead,
  type PersonTax,
  typedFen,
  typedOf,
} from '../period/words.ts'

type Typed = Partial<Record<(typeof amountNames)[number] | 'additional' | 'withheld', string>>
type Props = { period: PeriodHead; person: { member_id: string; name: string }; onClose: () => void }

/** Mounted while it is open. */
export function IncomeDialog({ period, person, onClose }: Props) {
  const { member_id, name } = person
  const asked = useQuery({ ...query(getPersonTax, { period_id: period.period_id, member_id }), gcTime: 0, meta: { quiet: true } })
  if (asked.data) return <IncomeForm period={period} person={person} known={asked.data} onClose={onClose} />
  return (
    <Dialog open title={name} onClose={onClose}>
      {asked.error ? <ErrorState error={asked.error} retry={() => void asked.refetch()} /> : <Skeleton rows={6} />}
    </Dialog>
  )
}

/** What was typed, as the call takes it: amounts that stand as they were taken stay taken. */
function askedOf(typed: Typed, known: PersonTax | null) {
  const amounts = Object.fromEntries(amountNames.map((one) => [one, typedFen(typed[one]) ?? (mayBeScheme(one) ? null : 0)]))
  const isSame = known !== null && amountNames.every((one) => amounts[one] === known.amounts[one])
  const stays = isSame && known.taken.length > 0 && !known.by_hand
  return {
    amounts: stays ? null : amounts,
    additional_cumulative_fen: typedFen(typed.additional) ?? null,
    withheld_fen: typedFen(typed.withheld) ?? null,
  }
}

/** `known` null: somebody who is not in the month yet. */
export function IncomeForm({ period, person, known, onClose }: Props & { known: PersonTax | null }) {
  const [key] = useState(intent)
  const save = useCall(saveIncome, { key, handles: (error) => error.field !== undefined })
  const initial: Typed = known
    ? {
        ...Object.fromEntries(
          amountNames.map((one) => {
            const fen = known.amounts[one]
            return [one, fen === 0 && !mayBeScheme(one) && one !== 'income_fen' ? '' : typedOf(fen)]
          }),
        ),
        additional: typedOf(known.additional_cumulative_fen),
        withheld: typedOf(known.withheld_fen),
      }
    : {}
  return (
    <FormDialog<Typed>
      open
      width={640}
      title={`${person.name} 的收入和扣除`}
      action="保存"
      initial={initial}
      onClose={onClose}
      onSubmit={async (typed) => {
        await save.mutateAsync({
          period_id: period.period_id,
          rows: [{ member_id: person.member_id, ...askedOf(typed, known) }],
        })
        toast.done(`${person.name} 的收入已保存，请重新计算`)
      }}
    >
      <p className="ui-hint">金额都写正数。社保和公积金留空时，按他的参保方案计算；其余留空就是 0。</p>
      <div className={styles.fields}>
        {amountNames.map((one) => (
          <Form.Item key={one} name={one} label={amountWords[one]} rules={[amountRule]}>
            <Input inputMode="decimal" autoComplete="off" placeholder={mayBeScheme(one) ? '按参保方案' : '0.00'} />
          </Form.Item>
        ))}
        <Form.Item
          name="additional"
          label="累计专项附加扣除"
          rules={[amountRule]}
          tooltip="从税务局下载的本年累计数；留空时按他填报的专项附加扣除计算"
        >
          <Input inputMode="decimal" autoComplete="off" placeholder="按填报计算" />
        </Form.Item>
        <Form.Item
          name="withheld"
          label="本期实际扣缴"
          rules={[amountRule]}
          tooltip="实际扣的和算出来的不同时填写，下个月从这个数接着算"
        >
          <Input inputMode="decimal" autoComplete="off" placeholder="与应扣相同" />
        </Form.Item>
      </div>
    </FormDialog>
  )
}
