import { setLogo } from '../../../../server/contract/company/company.ts'
import { uploadFile } from '../../../../server/contract/files/files.ts'
import { useCallMutation } from '../../../api.ts'
import { toast } from '../../../components/overlay/toast.ts'
import accountStyles from '../../auth/account/account.module.css'
import styles from './picture.module.css'
import { PictureButtons } from './picture-buttons.tsx'
import { renderLogo } from './render.ts'

/** The company's logo: in the administrators' top bar and above the payslips of its employees. */
export function CompanyLogoSetting({ logo: currentLogo }: { logo: string | null }) {
  const save = useCallMutation(setLogo, { onSuccess: ({ logo }) => toast.success(logo ? '企业标志已更新' : '企业标志已移除') })
  const upload = useCallMutation(uploadFile, { onSuccess: ({ file_id }) => save.mutate({ file_id }) })
  return (
    <div className={accountStyles.row}>
      <img className={styles.companyMark} src={currentLogo ?? '/favicon.svg'} alt="" width={64} height={64} />
      <div className="ui-grow">
        <strong>企业标志</strong>
        <p className="ui-hint">显示在页面顶部，员工看工资条时也会看到；JPG 或 PNG，不裁剪</p>
      </div>
      <PictureButtons
        label="标志"
        hasPicture={currentLogo !== null}
        busy={save.isPending || upload.isPending}
        renderFile={renderLogo}
        onRendered={upload.mutate}
        onRemove={() => save.mutate({ file_id: null })}
      />
    </div>
  )
}
