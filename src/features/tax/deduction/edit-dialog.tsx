import { Button } from 'antd'
import { useState } from 'react'
import { type DeductionItem, type MemberDeductions, saveDeduction } from '../../../../server/contract/tax/deductions.ts'
import { type DeductionKind, deductionKinds, deductionLabels } from '../../../../server/contract/tax/kinds.ts'
import { ApiError, useCallMutation } from '../../../api.ts'
import { Icon } from '../../../components/icon.tsx'
import { Dialog } from '../../../components/overlay/dialogs.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import styles from '../tax.module.css'
import { DeductionItemFields } from './item-fields.tsx'
import { createEmptyItem, parseItemError, toDeductionItem } from './labels.ts'

/** An item with a stable key, so that its fields keep their state when another item is removed. */
type DeductionLine = { readonly key: number; readonly item: DeductionItem }
const kindOptions = deductionKinds.map((key) => ({ key, label: deductionLabels[key] }))

/** All deductions of one employee. */
export function DeductionDialog({ person: member, onClose }: { person: MemberDeductions; onClose: () => void }) {
  const { member_id, version, name } = member
  const [lines, setLines] = useState<readonly DeductionLine[]>(() =>
    member.items.map((item, key) => ({ key, item: toDeductionItem(item) })),
  )
  const [nextKey, setNextKey] = useState(member.items.length)
  const [itemError, setItemError] = useState<{ at: number; name: string; text: string } | null>(null)
  const save = useCallMutation(saveDeduction, { handles: (error) => parseItemError(error.field) !== null })
  const updateLines = (changed: readonly DeductionLine[]) => {
    setLines(changed)
    setItemError(null)
  }
  const addItem = (kind: DeductionKind) => {
    updateLines([...lines, { key: nextKey, item: createEmptyItem(kind) }])
    setNextKey(nextKey + 1)
  }
  const confirm = () =>
    save.mutate(
      { member_id, version, items: lines.map(({ item }) => item) },
      {
        onSuccess: () => {
          toast.success(`已保存 ${name} 的扣除信息`)
          onClose()
        },
        onError: (error) => {
          const position = error instanceof ApiError ? parseItemError(error.field) : null
          if (position) setItemError({ ...position, text: error.message })
        },
      },
    )
  return (
    <Dialog
      open
      width={760}
      title={`${name} 的专项附加扣除`}
      action="保存"
      busy={save.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div className={styles.form}>
        {lines.length === 0 && (
          <p className="ui-hint">还没有填写。点下面的「添加一项」，按员工提供的信息填写；金额由系统按规定标准计算。</p>
        )}
        {lines.map(({ key, item }, index) => (
          <DeductionItemFields
            key={key}
            item={item}
            error={itemError?.at === index ? itemError : null}
            onChange={(changed) => updateLines(lines.map((line) => (line.key === key ? { key, item: changed } : line)))}
            onRemove={() => updateLines(lines.filter((line) => line.key !== key))}
          />
        ))}
        <ActionMenu
          items={kindOptions}
          onChoose={(key) => addItem(deductionKinds.find((kind) => kind === key) ?? 'child_education')}
        >
          {(trigger) => (
            <Button ref={trigger} icon={<Icon name="add" />} style={{ alignSelf: 'flex-start' }}>
              添加一项
            </Button>
          )}
        </ActionMenu>
      </div>
    </Dialog>
  )
}
