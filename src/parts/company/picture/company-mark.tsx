import { setLogo } from '../../../../server/contract/corp/company.ts'
import { Upload } from '../../../../server/contract/corp/desk.ts'
import { useCall } from '../../../api.ts'
import { toast } from '../../../ui/over/toast.ts'
import accountStyles from '../../account/account.module.css'
import { markOf } from './drawn.ts'
import styles from './picture.module.css'
import { PictureButtons } from './picture-buttons.tsx'

/** The company's mark: in the bar of its administrators and above the slips of its people. */
export function CompanyMark({ logo: shown }: { logo: string | null }) {
  const save = useCall(setLogo, { onSuccess: ({ logo }) => toast.done(logo ? '企业标志已更新' : '企业标志已移除') })
  const upload = useCall(Upload, { onSuccess: ({ file_id }) => save.mutate({ file_id }) })
  return (
    <div className={accountStyles.row}>
      <img className={styles.companyMark} src={shown ?? '/favicon.svg'} alt="" width={64} height={64} />
      <div className="ui-grow">
        <strong>企业标志</strong>
        <p className="ui-hint">显示在页面顶部，员工看工资条时也会看到；JPG 或 PNG，不裁剪</p>
      </div>
      <PictureButtons
        word="标志"
        has={shown !== null}
        busy={save.isPending || upload.isPending}
        draw={markOf}
        onDrawn={upload.mutate}
        onRemove={() => save.mutate({ file_id: null })}
      />
    </div>
  )
}
