import { Button } from 'antd'
import { useRef, useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { importDeduction } from '../../../../server/contract/wage/deductions.ts'
import { deductionWords } from '../../../../server/contract/wage/kinds.ts'
import { useCall } from '../../../api.ts'
import { Dialog } from '../../../ui/dialogs.tsx'
import { Numbers } from '../../../ui/numbers.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { toast } from '../../../ui/toast.ts'
import { accept, refusalOf, useMaxBytes } from '../../sheet/upload/upload-area.tsx'

const words = { new: '新增', changed: '更新', same: '没有变化', fault: '不能导入' } as const

/** The official lists: what they would change is shown before it is written. */
export function DeductionImport({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [error, setError] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const maxBytes = useMaxBytes()
  const look = useCall(importDeduction, { handles: () => true })
  const write = useCall(importDeduction)
  const take = (chosen: File | undefined) => {
    if (!chosen) return
    const why = refusalOf(chosen, maxBytes)
    setError(why)
    if (why) return
    setFile(chosen)
    // A file goes beside what the contract names.
    const input: { file: File; apply?: '1' } = { file: chosen }
    look.mutateAsync(input).catch((thrown: unknown) => {
      setFile(null)
      setError(thrown instanceof Error ? thrown.message : String(thrown))
    })
  }
  const apply = () => {
    const input = { file, apply: '1' as const }
    write.mutate(input, {
      onSuccess: ({ people }) => {
        toast.done(`已导入 ${people} 人的扣除信息`)
        onClose()
      },
    })
  }
  const plan = file ? look.data : undefined
  const nothing = plan !== undefined && plan.people === 0
  return (
    <Dialog
      open
      width={760}
      title="导入专项附加扣除"
      {...(plan ? { action: `导入 ${plan.people} 人` } : {})}
      verdict={nothing ? '没有要导入的内容' : true}
      busy={write.isPending}
      onConfirm={apply}
      onClose={onClose}
    >
      <div className="tax-form">
        <p className="ui-label">
          自然人电子税务局（扣缴端）导出或填报用的专项附加扣除信息表，一个文件里有几张表都可以。先给您看会改什么，确认后才写入；同一份再导入一次不会重复。
        </p>
        <div className="ui-row">
          <Button loading={look.isPending} onClick={() => input.current?.click()}>
            {file ? '换一个文件' : '选择文件'}
          </Button>
          {file && <span className="ui-label">{file.name}</span>}
          <input
            ref={input}
            type="file"
            hidden
            accept={accept}
            aria-label="专项附加扣除信息表"
            onChange={({ target }) => {
              take(target.files?.[0])
              target.value = ''
            }}
          />
        </div>
        {error && (
          <p className="tax-wrong" role="alert">
            {error}
          </p>
        )}
        {look.isPending && <Skeleton rows={4} />}
        {plan && <Plan plan={plan} />}
      </div>
    </Dialog>
  )
}

/** What it would change, what cannot be taken before all. */
function Plan({ plan }: { plan: OutputOf<typeof importDeduction> }) {
  return (
    <>
      <Numbers
        items={(['new', 'changed', 'same', 'fault'] as const).map((key) => ({
          key,
          label: words[key],
          value: plan.counts[key],
          tone: key === 'fault' && plan.counts.fault > 0 ? 'danger' : 'ink',
        }))}
      />
      {plan.other_sheets.length > 0 && (
        <p className="ui-hint">没有读取的工作表：{plan.other_sheets.join('、')}（不是专项附加扣除的表）</p>
      )}
      <ul className="tax-import-rows" aria-label="会改什么">
        {plan.rows.map((row) => (
          <li key={`${row.sheet} ${row.row}`}>
            <span className={row.what === 'fault' ? 'tax-wrong' : 'ui-label'}>{words[row.what]}</span>
            <strong>{row.name}</strong>
            <span className="ui-hint">
              {row.sheet} {row.cell ?? `第 ${row.row} 行`}
            </span>
            <span>{row.why || (row.kind ? deductionWords[row.kind] : '')}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
