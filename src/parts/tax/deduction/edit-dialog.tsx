import { Button } from 'antd'
import { useState } from 'react'
import { type DeductionItem, type MemberDeductions, saveDeduction } from '../../../../server/contract/wage/deductions.ts'
import { type DeductionKind, deductionKinds, deductionWords } from '../../../../server/contract/wage/kinds.ts'
import { ApiError, useCall } from '../../../api.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Menu } from '../../../ui/table/menu.tsx'
import styles from '../tax.module.css'
import { ItemFields } from './item-fields.tsx'
import { emptyItem, itemOf, wrongItem } from './words.ts'

/** An item with a name of its own, so that its fields stay themselves when another one goes. */
type Line = { readonly key: number; readonly item: DeductionItem }
const kinds = deductionKinds.map((key) => ({ key, label: deductionWords[key] }))

/** All that one person may deduct. */
export function DeductionDialog({ person, onClose }: { person: MemberDeductions; onClose: () => void }) {
  const { member_id, version, name } = person
  const [lines, setLines] = useState<readonly Line[]>(() => person.items.map((item, key) => ({ key, item: itemOf(item) })))
  const [next, setNext] = useState(person.items.length)
  const [wrong, setWrong] = useState<{ at: number; name: string; text: string } | null>(null)
  const save = useCall(saveDeduction, { handles: (error) => wrongItem(error.field) !== null })
  const change = (changed: readonly Line[]) => {
    setLines(changed)
    setWrong(null)
  }
  const add = (kind: DeductionKind) => {
    change([...lines, { key: next, item: emptyItem(kind) }])
    setNext(next + 1)
  }
  const confirm = () =>
    save.mutate(
      { member_id, version, items: lines.map(({ item }) => item) },
      {
        onSuccess: () => {
          toast.done(`已保存 ${name} 的扣除信息`)
          onClose()
        },
        onError: (error) => {
          const place = error instanceof ApiError ? wrongItem(error.field) : null
          if (place) setWrong({ ...place, text: error.message })
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
        {lines.map(({ key, item }, at) => (
          <ItemFields
            key={key}
            item={item}
            wrong={wrong?.at === at ? wrong : null}
            onChange={(changed) => change(lines.map((line) => (line.key === key ? { key, item: changed } : line)))}
            onRemove={() => change(lines.filter((line) => line.key !== key))}
          />
        ))}
        <Menu items={kinds} onChoose={(key) => add(deductionKinds.find((kind) => kind === key) ?? 'child_education')}>
          {(trigger) => (
            <Button ref={trigger} icon={<Icon name="add" />} style={{ alignSelf: 'flex-start' }}>
              添加一项
            </Button>
          )}
        </Menu>
      </div>
    </Dialog>
  )
}
