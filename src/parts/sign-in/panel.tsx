/** Everything of signing in, one thing at a time; its frame is the desk's or the phone's. */
import { useEffect, useRef, useState } from 'react'
import { isLost } from '../../ui/form/hand.ts'
import type { PublicInfo } from './calls.ts'
import { SignInForm } from './form.tsx'
import styles from './sign-in.module.css'
import { type Corp, type Later, leaveStep, later as loadLater, otherWays, usePart, useSignIn, useStep } from './sign-in.ts'

const titles = { register: '注册企业', forgot: '忘记密码', factor: '两步验证', corps: '进入哪家企业？' }

export function Panel(props: { title: string; registerAt: string; onIn: (corp: Corp | undefined) => void }) {
  const { title, registerAt, onIn } = props
  const named = useStep()
  const signIn = useSignIn(onIn)
  const { corps, factor_token, busy } = signIn
  const step = factor_token ? 'factor' : corps ? 'corps' : named === 'register' || named === 'forgot' ? named : null
  const beside = step === 'register' || step === 'forgot'
  const { part: later, ...calls } = usePart(loadLater, { wanted: step !== null || busy, ahead: true })
  const { part: other, ...ways } = usePart(otherWays, { wanted: beside })
  const waiting = later ? ways : calls
  const info = usePublicInfo(later)
  const heading = step ? titles[step] : title
  // The window's title is outside React.
  useEffect(() => {
    document.title = `${step ? heading : '登录'} · 薪函`
  }, [step, heading])
  const titleLine = useRef<HTMLHeadingElement>(null)
  // The focus is the browser's: where a step has no field for it, it goes to its heading.
  useEffect(() => {
    if (step && isLost()) titleLine.current?.focus({ preventScroll: true })
  }, [step])
  // Whoever comes back with the browser's button finds an empty page, not what was typed.
  useEffect(() => {
    const fresh = (event: PageTransitionEvent) => event.persisted && location.reload()
    addEventListener('pageshow', fresh)
    return () => removeEventListener('pageshow', fresh)
  }, [])
  return (
    <div className={styles.root}>
      <h1 ref={titleLine} tabIndex={-1}>
        {heading}
      </h1>
      {step === null && <SignInForm signIn={signIn} info={info} registerAt={registerAt} />}
      {step !== null && !(later && (other || !beside)) && <Waiting failed={waiting.failed} again={waiting.again} />}
      {step === 'factor' && later && <later.Factor signIn={signIn} />}
      {step === 'corps' && later && <later.Companies signIn={signIn} />}
      {step === 'register' && later && other && <other.Register signIn={signIn} info={info} />}
      {step === 'forgot' && later && other && <other.Forgot phone={signIn.fields.phone} info={info} onLeave={signIn.restart} />}
      {beside && ((later && other) || waiting.failed) && (
        <button type="button" className={styles.back} onClick={leaveStep}>
          返回登录
        </button>
      )}
    </div>
  )
}

/** A fact that only adds to the page: without it the page is whole. */
function usePublicInfo(later: Later | null): PublicInfo | null {
  const [info, setInfo] = useState<PublicInfo | null>(null)
  // Asked once, when there is somebody to ask with.
  useEffect(() => {
    later?.publicInfo().then(setInfo, () => undefined)
  }, [later])
  return info
}

function Waiting({ failed, again }: { failed: boolean; again: () => void }) {
  if (!failed) return <p className={styles.text}>正在打开…</p>
  return (
    <>
      <p className={styles.text} role="alert">
        网络错误，没有打开这一步。
      </p>
      <button type="button" className={styles.submit} onClick={again}>
        再试一次
      </button>
    </>
  )
}
