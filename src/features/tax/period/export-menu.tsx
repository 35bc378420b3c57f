import { Button } from 'antd'
import { download } from '../../../../server/contract/files/files.ts'
import { type declarationKinds, type declarationLayouts, exportDeclaration } from '../../../../server/contract/tax/history.ts'
import { downloadFile, useCallMutation } from '../../../api.ts'
import { ActionButton } from '../../../components/action-button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/overlay/toast.ts'
import { ActionMenu } from '../../../components/table/action-menu.tsx'
import { isIdentityRequired, withIdentityProof } from '../../auth/account/identity-proof.ts'
import type { PeriodDetail } from './labels.ts'

/** The files of the official client, by kind and layout. */
const fileLabels = {
  'wages 29': '正常工资薪金（29 列，新版）',
  'wages 33': '正常工资薪金（33 列，带所得期间）',
  'wages 28': '正常工资薪金（28 列）',
  'wages 24': '正常工资薪金（24 列，旧版）',
  'bonus 29': '全年一次性奖金',
  'people 29': '人员信息采集',
  'steps 29': '计算过程（核对用，不导入扣缴端）',
} as const
type FileKey = keyof typeof fileLabels
const exportParams: Readonly<
  Record<FileKey, { kind: (typeof declarationKinds)[number]; layout: (typeof declarationLayouts)[number] }>
> = {
  'wages 29': { kind: 'wages', layout: '29' },
  'wages 33': { kind: 'wages', layout: '33' },
  'wages 28': { kind: 'wages', layout: '28' },
  'wages 24': { kind: 'wages', layout: '24' },
  'bonus 29': { kind: 'bonus', layout: '29' },
  'people 29': { kind: 'people', layout: '29' },
  'steps 29': { kind: 'steps', layout: '29' },
}
const isFileKey = (key: string): key is FileKey => key in fileLabels

export function DeclarationExportMenu({ period, result: allowed }: { period: PeriodDetail; result: true | string }) {
  const exportFile = useCallMutation(exportDeclaration, {
    handles: isIdentityRequired,
    onSuccess: ({ oss_path, file_name, rows, missing_id_card_count }) => {
      downloadFile(download, { oss_path, file_name })
      if (missing_id_card_count > 0)
        toast.error(`${rows} 人里有 ${missing_id_card_count} 人没有身份证号，请在员工档案补上后再导入扣缴端`, '已导出')
      else toast.success(`已导出 ${rows} 人`)
    },
  })
  const startExport = (params: (typeof exportParams)[FileKey]) =>
    void withIdentityProof(() => exportFile.mutateAsync({ period_id: period.period_id, ...params })).catch(() => undefined)
  if (allowed !== true) return <ActionButton allowed={allowed}>导出申报表</ActionButton>
  return (
    <ActionMenu
      items={Object.entries(fileLabels).map(([key, label]) => ({ key, label }))}
      onChoose={(key) => isFileKey(key) && startExport(exportParams[key])}
    >
      {(trigger) => (
        <Button ref={trigger} aria-haspopup="menu" loading={exportFile.isPending}>
          导出申报表 <Icon name="down" size={14} />
        </Button>
      )}
    </ActionMenu>
  )
}
