import { useQuery } from '@tanstack/react-query'
import { Button, Checkbox, Input, Segmented } from 'antd'
import { useState } from 'react'
import type { OutputOf } from '../../../../server/contract/call.ts'
import { answerFeedback, type getFeedBackDetail, getFeedBackList, most_alike } from '../../../../server/contract/slip/feedback.ts'
import { intent, query, useCall } from '../../../api.ts'
import { Modal } from '../../../ui/over/layers.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { Skeleton } from '../../../ui/state/skeleton.tsx'
import styles from './inbox.module.css'

type Thread = OutputOf<typeof getFeedBackDetail>
const longest = 500

type Draft = { readonly content: string; readonly left_out: ReadonlySet<string>; readonly key: string }
const untouched = (): Draft => ({ content: '', left_out: new Set(), key: intent() })

/** One answer to all who asked about the same: who they are is seen and chosen first, each gets it in his own thread. */
export function AnswerMany({ thread, onClose }: { thread: Thread; onClose: () => void }) {
  const { batch_id, about, title } = thread
  const [all, setAll] = useState(false)
  // Tried again after a lost answer it is one intent; of other words, or to other people, it is another.
  const [{ content, left_out, key }, setDraft] = useState(untouched)
  const change = (next: Partial<Draft>) => setDraft((old) => ({ ...old, ...next, key: intent() }))
  const setLeftOut = (next: ReadonlySet<string>) => change({ left_out: next })
  const asked = useQuery({
    ...query(getFeedBackList, {
      batch_id,
      ...(all ? {} : { line: about?.key ?? '' }),
      status: 'open',
      pagesize: most_alike,
    }),
    gcTime: 0,
  })
  const list = asked.data?.list ?? []
  const chosen = list.filter(({ id }) => !left_out.has(id))
  const answer = useCall(answerFeedback, {
    key,
    onSuccess: ({ answered }) => {
      toast.done(`已回复 ${answered} 人`)
      onClose()
    },
  })
  const act = (resolve: boolean) => answer.mutate({ ids: chosen.map(({ id }) => id), content, resolve })
  const cannot = content.trim() === '' || chosen.length === 0
  return (
    <Modal
      open
      title="一并回复谁？"
      width={520}
      onCancel={onClose}
      footer={[
        <Button key="resolve" disabled={cannot || answer.isPending} onClick={() => act(true)}>
          回复并解决
        </Button>,
        <Button key="reply" type="primary" disabled={cannot} loading={answer.isPending} onClick={() => act(false)}>
          回复 {chosen.length} 人
        </Button>,
      ]}
    >
      <p className="ui-label">{title}。每个人只在自己的工资条里看到这条回复，看不到别人。</p>
      <Segmented
        className={styles.manyScope}
        aria-label="范围"
        value={all ? 'all' : 'line'}
        options={[
          { value: 'line', label: about ? `问「${about.label}」的` : '问整张工资条的' },
          { value: 'all', label: '这一批全部待处理' },
        ]}
        onChange={(scope) => {
          setAll(scope === 'all')
          setLeftOut(new Set())
        }}
      />
      {asked.data ? (
        <Chosen list={list} lines={all} left_out={left_out} onLeftOut={setLeftOut} />
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
      {(asked.data?.page.total ?? 0) > most_alike && <p className="ui-hint">一次最多 {most_alike} 人，回复后可以继续。</p>}
      <div className={styles.manyText}>
        <Input.TextArea
          aria-label="回复内容"
          placeholder="写一次，发给每一个人"
          value={content}
          maxLength={longest}
          showCount
          autoSize={{ minRows: 3, maxRows: 8 }}
          onChange={(event) => change({ content: event.target.value })}
        />
      </div>
    </Modal>
  )
}

type Listed = {
  list: OutputOf<typeof getFeedBackList>['list']
  /** Whether they ask about different lines. */
  lines: boolean
  left_out: ReadonlySet<string>
  onLeftOut: (next: ReadonlySet<string>) => void
}
/** Who asked, each with his last word; whoever is left out keeps waiting. */
function Chosen({ list, lines, left_out, onLeftOut }: Listed) {
  const toggle = (id: string, on: boolean) => {
    const next = new Set(left_out)
    if (on) next.delete(id)
    else next.add(id)
    onLeftOut(next)
  }
  return (
    <ul className={styles.manyList}>
      {list.map(({ id, name, about, last }) => (
        <li key={id}>
          <Checkbox checked={!left_out.has(id)} onChange={(event) => toggle(id, event.target.checked)}>
            <strong>{name}</strong> {lines && <small>{about?.label ?? '整张工资条'}</small>}
            <span>{last}</span>
          </Checkbox>
        </li>
      ))}
    </ul>
  )
}
