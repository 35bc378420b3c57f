/** All of the sign-in, one step at a time; desktop and mobile provide the frame. */
import { useEffect, useRef, useState } from 'react'
import { isFocusLost } from '../../../components/form/focus.ts'
import formStyles from '../../../components/form/light-form.module.css'
import type { PublicInfo } from './calls.ts'
import { SignInForm } from './form.tsx'
import styles from './sign-in.module.css'
import {
  clearHashStep,
  getLinkToken,
  loadSignInSteps as loadLater,
  loadSideSteps,
  type SignInSteps,
  useHashStep,
  useLazyModule,
  useSignIn,
} from './sign-in.ts'
import type { SignInCompany } from './types.ts'

const stepTitles = { register: '注册企业', forgot: '忘记密码', link: '设置密码', factor: '两步验证', corps: '进入哪家企业？' }

export function SignInPanel(props: { title: string; registerAt: string; onIn: (corp: SignInCompany | undefined) => void }) {
  const { title, registerAt: registerUrl, onIn: onSignedIn } = props
  const hashStep = useHashStep()
  const signIn = useSignIn(onSignedIn)
  const { companies, factor_token, busy } = signIn
  const linkToken = getLinkToken(hashStep)
  const sideStep = linkToken ? 'link' : hashStep === 'register' || hashStep === 'forgot' ? hashStep : null
  const step = factor_token ? 'factor' : companies ? 'corps' : sideStep
  const isSideStep = step !== null && step === sideStep
  const { part: steps, ...stepsStatus } = useLazyModule(loadLater, { isRequested: step !== null || busy, isEarly: true })
  const { part: sideSteps, ...sideStatus } = useLazyModule(loadSideSteps, { isRequested: isSideStep })
  const loadStatus = steps ? sideStatus : stepsStatus
  const info = usePublicInfo(steps)
  const heading = step ? stepTitles[step] : title
  // The window title lives outside React.
  useEffect(() => {
    document.title = `${step ? heading : '登录'} · 薪函`
  }, [step, heading])
  const headingRef = useRef<HTMLHeadingElement>(null)
  // The focus lives outside React: a step without a field focuses its heading.
  useEffect(() => {
    if (step && isFocusLost()) headingRef.current?.focus({ preventScroll: true })
  }, [step])
  // A user who returns with the browser's back button finds an empty page, not the earlier input.
  useEffect(() => {
    const reloadIfRestored = (event: PageTransitionEvent) => event.persisted && location.reload()
    addEventListener('pageshow', reloadIfRestored)
    return () => removeEventListener('pageshow', reloadIfRestored)
  }, [])
  return (
    <div className={styles.root}>
      <h1 ref={headingRef} tabIndex={-1}>
        {heading}
      </h1>
      {step === null && <SignInForm signIn={signIn} info={info} registerAt={registerUrl} />}
      {step !== null && !(steps && (sideSteps || !isSideStep)) && (
        <LoadingStep failed={loadStatus.failed} again={loadStatus.again} />
      )}
      {step === 'factor' && steps && <steps.SecondFactorForm signIn={signIn} />}
      {step === 'corps' && steps && <steps.CompanyList signIn={signIn} />}
      {isSideStep && steps && sideSteps && <sideSteps.SideStep {...{ step, signIn, info, linkToken }} />}
      {isSideStep && ((steps && sideSteps) || loadStatus.failed) && (
        <button type="button" className={styles.back} onClick={clearHashStep}>
          返回登录
        </button>
      )}
    </div>
  )
}

/** Optional information: the page is complete without it. */
function usePublicInfo(calls: SignInSteps | null): PublicInfo | null {
  const [info, setInfo] = useState<PublicInfo | null>(null)
  // Requested once, as soon as the calls have loaded.
  useEffect(() => {
    calls?.fetchPublicInfo().then(setInfo, () => undefined)
  }, [calls])
  return info
}

function LoadingStep({ failed, again: retry }: { failed: boolean; again: () => void }) {
  if (!failed) return <p className={styles.text}>正在打开…</p>
  return (
    <>
      <p className={styles.text} role="alert">
        网络错误，没有打开这一步。
      </p>
      <button type="button" className={formStyles.submit} onClick={retry}>
        再试一次
      </button>
    </>
  )
}
