import { useState } from 'react'
import formStyles from '../../../components/form/light-form.module.css'
import nextHolderStyles from './next-owner.module.css'
import styles from './sign-in.module.css'

/**
 * The step for a phone whose account belongs to someone else: the user starts over, and nothing of the previous owner
 * is passed on. It cannot be undone, so it asks twice.
 */
export default function NextOwnerStep({ onNext }: { onNext: () => void }) {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <div className={nextHolderStyles.signInNext}>
      {isConfirming ? (
        <>
          <p role="alert">
            之前的账号会和这个号码分开，不能撤回。如果那其实是您自己的账号，里面的工资条要等公司重新确认后才能看到。
          </p>
          <button type="button" className={styles.other} onClick={onNext} autoFocus>
            确认，重新开始
          </button>
          <button type="button" className={formStyles.word} onClick={() => setConfirming(false)}>
            返回
          </button>
        </>
      ) : (
        <>
          <p>号码是新换到您手上的？之前使用者的账号和工资条不会转给您，您可以重新开始。</p>
          <button type="button" className={styles.other} onClick={() => setConfirming(true)}>
            我是这个号码的新使用者
          </button>
        </>
      )}
    </div>
  )
}
