import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { getTitleInfo, insertCache } from '../../../server/contract/sheet/sheet.ts'
import { can } from '../../../server/contract/words/states.ts'
import { ask, query } from '../../api.ts'
import { PageHead } from '../../ui/page/page-head.tsx'
import { Steps } from '../../ui/page/steps.tsx'
import { Empty } from '../../ui/state/empty.tsx'
import { ErrorState } from '../../ui/state/error-state.tsx'
import { Skeleton } from '../../ui/state/skeleton.tsx'
import { Hint } from '../home/hint.tsx'
import styles from './send.module.css'

const paths = ['/wageSend1', '/check', '/wageSend2', '/wageSend3'] as const
/** Where people stop at first; arranging shows what it does while it is done. */
const hintOf = ['upload', 'check', null, 'send'] as const
const steps = ['wageSend1', 'check', 'wageSend2', 'wageSend3'] as const

/** Remembers how far one came, or with null that nothing is left to do. Nothing on the page depends on it. */
export const remember = (wizard: { step: (typeof steps)[number]; batch_id: string } | null) =>
  void ask(insertCache, { wizard }).catch(() => {
    // Only the offer to go on is lost.
  })

export const sheetQuery = (batch_id: string) => query(getTitleInfo, { batch_id })
export const useSheet = (batch_id: string) => useQuery(sheetQuery(batch_id))

/** The frame of the four steps: bar, title, content, and at the bottom what comes next. */
export function WizardPage(props: {
  step: 0 | 1 | 2 | 3
  batch_id: string | undefined
  title: string
  note?: ReactNode
  action?: ReactNode
  foot?: ReactNode
  /** There is nothing here to be explained. */
  bare?: boolean
  children: ReactNode
}) {
  const { step, batch_id, bare = false } = props
  const navigate = useNavigate()
  const hint = bare ? undefined : hintOf[step]
  return (
    <div className={`ui-page ${styles.root}`}>
      <Steps
        at={step}
        {...(batch_id ? { onGo: (to: number) => void navigate({ to: paths[to] ?? '/wageSend1', search: { batch_id } }) } : {})}
      />
      <PageHead title={props.title} note={props.note} action={props.action} />
      {hint && <Hint of={hint} />}
      {props.children}
      {props.foot && <footer className={`${styles.foot} no-print`}>{props.foot}</footer>}
    </div>
  )
}

/** The steps after the first: they need a batch that can still be arranged. */
export function WithBatch(props: {
  step: 1 | 2 | 3
  title: string
  batch_id: string | undefined
  children: (batch_id: string) => ReactNode
}) {
  const { step, title, batch_id } = props
  if (batch_id) return <Arrangeable {...props} batch_id={batch_id} />
  return (
    <WizardPage step={step} batch_id={undefined} title={title} bare>
      <Empty
        text="还没有工资表，请先上传一份"
        action={
          <Link className="ui-button" to="/wageSend1">
            去上传
          </Link>
        }
      />
    </WizardPage>
  )
}

function Arrangeable(props: { step: 1 | 2 | 3; title: string; batch_id: string; children: (batch_id: string) => ReactNode }) {
  const { step, title, batch_id, children } = props
  const asked = useSheet(batch_id)
  const verdict = asked.data ? can.arrange(asked.data.status) : null
  const named = asked.data?.title != null
  // Tells the server how far one came, so that 「继续上次」 leads here.
  useEffect(() => {
    const here = steps[step]
    if (verdict === true && named && here) remember({ step: here, batch_id })
  }, [verdict, named, step, batch_id])
  if (verdict === true && named) return children(batch_id)
  return (
    <WizardPage step={step} batch_id={batch_id} title={title} bare>
      {verdict === true ? (
        <Empty
          text="这份工资表还没有填标题和月份"
          action={
            <Link className="ui-button" to="/wageSend1" search={{ batch_id }}>
              回到第 1 步
            </Link>
          }
        />
      ) : verdict ? (
        <AlreadySent batch_id={batch_id} why={verdict} />
      ) : asked.error ? (
        <ErrorState error={asked.error} retry={() => void asked.refetch()} />
      ) : (
        <Skeleton rows={8} />
      )}
    </WizardPage>
  )
}

export const AlreadySent = ({ batch_id, why }: { batch_id: string; why: string }) => (
  <Empty
    drawing="letter"
    text={why}
    action={
      <Link className="ui-button" to="/SendSucc" search={{ batch_id }}>
        查看发送情况
      </Link>
    }
  />
)
