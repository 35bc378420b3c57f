import { Button } from 'antd'
import { useState } from 'react'
import type { AskOf } from '../../../../server/contract/call.ts'
import { enterCorp, splitSheet, uploadSplit } from '../../../../server/contract/corp/agency.ts'
import { useCall } from '../../../api.ts'
import { Dropdown } from '../../../ui/form/select.tsx'
import { Dialog } from '../../../ui/over/dialogs.tsx'
import { Progress } from '../../../ui/state/progress.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import { FileChoice, FileError, useLookedAt } from '../../tax/file-choice.tsx'
import taxStyles from '../../tax/tax.module.css'
import styles from './agency.module.css'
import { goOn } from './go.ts'
import { type Apart, type Bundle, bundlesOf, mayBeSaid, type SaidOf, type SplitPart, whyWords } from './split.ts'

type Done = { readonly bundle: Bundle; readonly batch_id: string | null; readonly error: string | null }

/** One sheet with people of several companies: whose they are is shown first, then each part goes into its own company. */
export function SplitDialog({ onClose }: { onClose: () => void }) {
  const [said, setSaid] = useState<SaidOf>({})
  const [done, setDone] = useState<readonly Done[] | null>(null)
  const [busy, setBusy] = useState(false)
  const look = useCall(splitSheet, { handles: () => true })
  const upload = useCall(uploadSplit, { handles: () => true })
  const { file, error, take } = useLookedAt((chosen) => {
    setSaid({})
    // A file goes beside what the contract names.
    const asked: AskOf<typeof splitSheet> = {}
    return look.mutateAsync(Object.assign(asked, { file: chosen }))
  })
  const apart = file && !look.isPending ? look.data : undefined
  const bundles = apart ? bundlesOf(apart, said) : []
  const begin = async () => {
    setBusy(true)
    let told: readonly Done[] = []
    setDone(told)
    // One after the other: where one is refused the others still go.
    for (const bundle of bundles) {
      const input = { file, corp_id: bundle.corp_id, labels: bundle.labels.join('\n') }
      try {
        const { batch_id } = await upload.mutateAsync(input)
        told = [...told, { bundle, batch_id, error: null }]
      } catch (thrown) {
        told = [...told, { bundle, batch_id: null, error: thrown instanceof Error ? thrown.message : String(thrown) }]
      }
      setDone(told)
    }
    setBusy(false)
  }
  return (
    <Dialog
      open
      width={760}
      title="一张表，多家企业"
      {...(apart && !done ? { action: `上传到 ${new Set(bundles.map(({ corp_id }) => corp_id)).size} 家企业` } : {})}
      verdict={bundles.length === 0 ? '没有能上传的部分' : true}
      {...(done && !busy ? { result: { text: '完成', onPress: onClose } } : {})}
      busy={busy}
      onConfirm={() => void begin()}
      onClose={onClose}
    >
      {done ? (
        <Uploaded done={done} total={bundles.length} left={rowsLeft(apart, bundles)} />
      ) : (
        <div className={taxStyles.form}>
          <p className="ui-label">
            表里有一列写着企业名称，或者每家企业一张工作表。先看清楚每一行是谁家的，再分别上传；只上传到授权给您的企业，别家的行不会带过去。
          </p>
          <div className="ui-row">
            <FileChoice file={file} word="选择工资表" label="多家企业的工资表" busy={look.isPending} onFile={take} />
          </div>
          <FileError error={error} />
          {look.isPending && <Skeleton rows={4} />}
          {apart && <Parts apart={apart} said={said} onSay={setSaid} />}
        </div>
      )}
    </Dialog>
  )
}

function Parts({ apart, said, onSay }: { apart: Apart; said: SaidOf; onSay: (said: SaidOf) => void }) {
  const names = new Map(apart.served.map(({ corp_id, name }) => [corp_id, name]))
  return (
    <>
      <p className="ui-hint">{apart.by === 'sheet' ? '按工作表的名称拆开' : `按「${apart.column ?? ''}」列拆开`}</p>
      <ul className={styles.parts} aria-label="每家企业的行">
        {apart.parts.map((part) => (
          <li key={part.label} data-open={part.why === null || said[part.label] ? '' : undefined}>
            <strong>{part.label || '没有写企业的行'}</strong>
            <span className={styles.rows}>{part.rows} 行</span>
            {part.why === null ? (
              <span className="ui-label">{toWhom(part, names)}</span>
            ) : (
              <Asked part={part} apart={apart} said={said} onSay={onSay} />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function Asked(props: { part: SplitPart; apart: Apart; said: SaidOf; onSay: (said: SaidOf) => void }) {
  const { part, apart, said, onSay } = props
  const { label, why } = part
  if (why === null || !mayBeSaid(part)) return <span className={styles.why}>{whyWords[why ?? 'unknown']}</span>
  const options = apart.served
    .filter(({ name }) => why !== 'several' || name.replace(/\s/g, '') === label.replace(/\s/g, ''))
    .map(({ corp_id, name }) => ({ value: corp_id, label: name }))
  const say = (next: string | number) => onSay({ ...said, [label]: typeof next === 'string' ? next : '' })
  return (
    <>
      <span className={styles.why}>{whyWords[why]}</span>
      <Dropdown
        label={`「${label}」是哪家企业`}
        all="不上传"
        width={220}
        options={options}
        value={said[label] || undefined}
        onChange={say}
      />
    </>
  )
}

/** As it is called in the list, where the file writes it otherwise. */
function toWhom({ label, corp_id }: SplitPart, names: ReadonlyMap<string, string>): string {
  const name = names.get(corp_id ?? '') ?? ''
  return name === label ? '可以上传' : `上传到 ${name}`
}

const rowsLeft = (apart: Apart | undefined, bundles: readonly Bundle[]): number =>
  (apart?.parts ?? []).reduce((sum, { rows }) => sum + rows, 0) - bundles.reduce((sum, { rows }) => sum + rows, 0)

function Uploaded({ done, total, left }: { done: readonly Done[]; total: number; left: number }) {
  return (
    <>
      {done.length < total && <Progress label="正在上传" done={done.length} total={total} unit="份" />}
      <ul className={styles.parts} aria-label="上传结果" aria-live="polite">
        {done.map(({ bundle, batch_id, error }) => (
          <li key={bundle.key} data-open={batch_id ? '' : undefined}>
            <strong>{bundle.name}</strong>
            {batch_id ? (
              <>
                <span className="ui-label">已上传 {bundle.rows} 行</span>
                <Check bundle={bundle} batch_id={batch_id} isLast={done.length === total} />
              </>
            ) : (
              <span className={styles.why}>{error}</span>
            )}
          </li>
        ))}
      </ul>
      {left > 0 && <p className="ui-hint">另有 {left} 行没有上传，不属于这些企业。</p>}
    </>
  )
}

/** Into that company, to the draft: another session, so only when all have gone. */
function Check({ bundle, batch_id, isLast }: { bundle: Bundle; batch_id: string; isLast: boolean }) {
  const enter = useCall(enterCorp, { onSuccess: ({ token }) => goOn(token, `/wageSend1?batch_id=${batch_id}`) })
  return (
    <Button
      disabled={!isLast}
      aria-label={`进入核对 ${bundle.name}`}
      loading={enter.isPending}
      onClick={() => enter.mutate({ corp_id: bundle.corp_id })}
    >
      进入核对
    </Button>
  )
}
