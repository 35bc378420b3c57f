import { selectCorp } from '../../../server/contract/account/account.ts'
import { cache, useCall } from '../../api.ts'
import { session } from '../../api-core.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './m.module.css'
import { Sheet } from './sheet.tsx'

type Me = { corp_id: string; corps: readonly { corp_id: string; name: string }[] }

/** Another of one's companies. Nothing of the first one stays: the session is made anew and the window begins again. */
export function CorpSheet({ me, onClose }: { me: Me; onClose: () => void }) {
  const choose = useCall(selectCorp, {
    onSuccess: ({ token }) => {
      session.keep(token)
      cache.clear()
      location.replace('/m/slips')
    },
  })
  return (
    <Sheet open title="切换公司" onClose={onClose}>
      <ul className={styles.corps}>
        {me.corps.map(({ corp_id, name }) => (
          <li key={corp_id}>
            <button
              type="button"
              aria-current={corp_id === me.corp_id || undefined}
              disabled={choose.isPending}
              onClick={() => (corp_id === me.corp_id ? onClose() : choose.mutate({ corp_id }))}
            >
              <span>{name}</span>
              {corp_id === me.corp_id && <Icon name="check" />}
            </button>
          </li>
        ))}
      </ul>
    </Sheet>
  )
}
