import { Button } from 'antd'
import { download } from '../../../../server/contract/corp/desk.ts'
import { type declarationKinds, exportDeclaration, type wageLayouts } from '../../../../server/contract/wage/tax/tax-history.ts'
import { downloadFrom, useCall } from '../../../api.ts'
import { Act } from '../../../ui/act.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { toast } from '../../../ui/over/toast.ts'
import { Menu } from '../../../ui/table/menu.tsx'
import type { PeriodHead } from './words.ts'

/** The files of the official client, by kind and layout. */
const files = {
  'wages 29': '正常工资薪金（29 列，新版）',
  'wages 33': '正常工资薪金（33 列，带所得期间）',
  'wages 28': '正常工资薪金（28 列）',
  'wages 24': '正常工资薪金（24 列，旧版）',
  'bonus 29': '全年一次性奖金',
  'people 29': '人员信息采集',
  'steps 29': '计算过程（核对用，不导入扣缴端）',
} as const
type FileKey = keyof typeof files
const asked: Readonly<Record<FileKey, { kind: (typeof declarationKinds)[number]; layout: (typeof wageLayouts)[number] }>> = {
  'wages 29': { kind: 'wages', layout: '29' },
  'wages 33': { kind: 'wages', layout: '33' },
  'wages 28': { kind: 'wages', layout: '28' },
  'wages 24': { kind: 'wages', layout: '24' },
  'bonus 29': { kind: 'bonus', layout: '29' },
  'people 29': { kind: 'people', layout: '29' },
  'steps 29': { kind: 'steps', layout: '29' },
}
const isFile = (key: string): key is FileKey => key in files

export function ExportMenu({ period, verdict }: { period: PeriodHead; verdict: true | string }) {
  const fetch = useCall(exportDeclaration, {
    onSuccess: ({ oss_path, file_name, rows, without_card }) => {
      downloadFrom(download, { oss_path, file_name })
      if (without_card > 0) toast.fail(`${rows} 人里有 ${without_card} 人没有身份证号，请在员工档案补上后再导入扣缴端`, '已导出')
      else toast.done(`已导出 ${rows} 人`)
    },
  })
  if (verdict !== true) return <Act verdict={verdict}>导出申报表</Act>
  return (
    <Menu
      items={Object.entries(files).map(([key, label]) => ({ key, label }))}
      onChoose={(key) => isFile(key) && fetch.mutate({ period_id: period.period_id, ...asked[key] })}
    >
      {(trigger) => (
        <Button ref={trigger} aria-haspopup="menu" loading={fetch.isPending}>
          导出申报表 <Icon name="down" size={14} />
        </Button>
      )}
    </Menu>
  )
}
