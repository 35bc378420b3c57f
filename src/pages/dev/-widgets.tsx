import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import { DateField } from '../../components/form/date-field.tsx'
import { CheckboxField, TextInput } from '../../components/form/fields.tsx'
import { Dropdown, MultiSelect, type NoSelection } from '../../components/form/select.tsx'
import { SmsCodeButton } from '../../components/form/sms-code.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlay/dialogs.tsx'
import { FilterTag } from '../../components/page/filter-tag.tsx'
import { SearchBox } from '../../components/page/search-box.tsx'
import { Steps } from '../../components/page/steps.tsx'
import { EmptyState } from '../../components/state/empty-state.tsx'
import { ErrorState } from '../../components/state/error-state.tsx'
import { InfiniteList } from '../../components/state/infinite-list.tsx'
import { Skeleton } from '../../components/state/skeleton.tsx'
import { RowMenu } from '../../components/table/row-menu.tsx'
import { Tree } from '../../components/tree/tree.tsx'
import { type TreeNode, TreePicker } from '../../components/tree/tree-picker.tsx'
import { StatusDot } from '../../components/value/status-dot.tsx'
import styles from './dev.module.css'

const sampleTree: TreeNode[] = [
  {
    ID: 'all',
    NAME: '云杉科技',
    child: [
      { ID: 'build', NAME: '研发部', child: [{ ID: 'test', NAME: '测试组', child: [] }] },
      { ID: 'sell', NAME: '销售部', child: [{ ID: 'east', NAME: '华东大区', child: [] }] },
    ],
  },
]
const sampleOptions = ['苹果', '香梨', '葡萄', '石榴'].map((label, value) => ({ value, label }))
const pageSize = 10
const pages = 3

/** Each widget with its last value below it, for manual and automated tests. */
export function Widgets() {
  return (
    <main className="ui-page">
      <h1>控件</h1>
      <div className={styles.grid}>
        <Buttons />
        <Dialogs />
        <Inputs />
        <Choices />
        <Trees />
        <SearchStory />
        <Scrolling />
        <States />
      </div>
    </main>
  )
}

const Story = ({ title, message, children }: { title: string; message?: ReactNode; children: ReactNode }) => (
  <section className="ui-card ui-stack" aria-label={title}>
    <h2>{title}</h2>
    {children}
    {message !== undefined && (
      <output className="ui-hint" aria-label={`${title}的结果`}>
        {message}
      </output>
    )}
  </section>
)

function Buttons() {
  const [output, setOutput] = useState('')
  return (
    <Story title="按钮" message={output}>
      <div className="ui-row">
        <ActionButton type="primary" mark="add" onClick={() => setOutput('添加')}>
          添加
        </ActionButton>
        <ActionButton mark="save">保存</ActionButton>
        <ActionButton mark="download">下载</ActionButton>
        <ActionButton mark="upload">上传</ActionButton>
        <ActionButton loading>正在保存</ActionButton>
        <ActionButton danger>撤回</ActionButton>
        <ActionButton allowed="还没有选人" onClick={() => setOutput('不该按得动')}>
          按不动
        </ActionButton>
        <RowMenu
          label="示例"
          acts={[
            { key: 'edit', label: '修改', onClick: () => setOutput('修改') },
            { key: 'cannot', label: '删除', allowed: '已经发送，不能删除', onClick: () => setOutput('不该按得动') },
          ]}
        />
      </div>
      <div className="ui-row">
        <SmsCodeButton onSend={async () => true} />
      </div>
    </Story>
  )
}

function Dialogs() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | null>(null)
  const [done, setDone] = useState(false)
  const close = () => {
    setOpen(null)
    setDone(false)
  }
  return (
    <Story title="对话框">
      <div className="ui-row">
        <Button onClick={() => setOpen('dialog')}>对话框</Button>
        <Button onClick={() => setOpen('confirm')}>确认框</Button>
      </div>
      <Dialog
        open={open === 'dialog'}
        title="更换手机号"
        action="更换"
        onConfirm={() => setDone(true)}
        onClose={close}
        {...(done ? { result: { text: '用新手机号登录', onPress: close } } : {})}
      >
        {done ? (
          '手机号已更换。'
        ) : (
          <>
            更换后，原手机号将无法登录。
            <Button onClick={() => setDone(true)}>就地更换</Button>
          </>
        )}
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        title="撤回整批工资条？"
        action="撤回 12 人"
        danger
        onConfirm={close}
        onClose={close}
      >
        12 人将立即打不开这张工资条。
      </ConfirmDialog>
    </Story>
  )
}

function Inputs() {
  const [text, setText] = useState('')
  const [checked, setChecked] = useState(false)
  const [day, setDay] = useState<string | null>('2026-10-08')
  return (
    <Story title="输入" message={`${text} ${checked ? '已勾选' : '未勾选'} ${day ?? '没有日期'}`}>
      <TextInput
        aria-label="姓名"
        placeholder="姓名，最多 10 个字"
        limit={10}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <TextInput aria-label="不能填写的姓名" disabled value="不能修改" />
      <div className="ui-row">
        <CheckboxField checked={checked} onChange={setChecked}>
          发给全公司
        </CheckboxField>
        <CheckboxField indeterminate>部分部门</CheckboxField>
        <CheckboxField checked disabled>
          系统管理员
        </CheckboxField>
      </div>
      <DateField label="入职日期" value={day} onChange={setDay} />
    </Story>
  )
}

function Choices() {
  const [selected, setSelected] = useState<number | NoSelection>()
  const [selectedMany, setSelectedMany] = useState<number[]>([])
  return (
    <Story title="选择" message={`单选 ${selected ?? '未动'}，多选 ${selectedMany.join('、') || '无'}`}>
      <div className="ui-row">
        <Dropdown label="水果" allLabel="全部水果" options={sampleOptions} value={selected} onChange={setSelected} />
        <Dropdown label="没有默认项" options={sampleOptions} />
      </div>
      <MultiSelect options={sampleOptions} value={selectedMany} onChange={setSelectedMany} placeholder="选择几种水果" />
    </Story>
  )
}

function Trees() {
  const [node, setNode] = useState<string>()
  const [picked, setPicked] = useState<string>()
  const [covered, setCovered] = useState<string[]>([])
  return (
    <Story title="部门" message={`树 ${node ?? '无'}，单选 ${picked ?? '无'}，范围 ${covered.join('、') || '无'}`}>
      <Tree tree={sampleTree} selected={node} onChoose={setNode} />
      <TreePicker tree={sampleTree} value={picked} onChange={setPicked} />
      <TreePicker
        tree={sampleTree}
        multiple
        includesDescendants
        placeholder="选择管理范围"
        value={covered}
        onChange={setCovered}
      />
    </Story>
  )
}

function SearchStory() {
  const [searches, setSearches] = useState<string[]>([])
  const last = searches.at(-1)
  return (
    <Story title="搜索与筛选" message={searches.join(' ') || '还没有搜索'}>
      <SearchBox
        value={last === '清空' ? undefined : last}
        onSearch={(text) => setSearches([...searches, text ?? '清空'])}
        placeholder="按姓名查找"
      />
      {last && last !== '清空' && <FilterTag onRemove={() => setSearches([...searches, '清空'])}>{`姓名：${last}`}</FilterTag>}
    </Story>
  )
}

function Scrolling() {
  const [page, setPage] = useState(1)
  return (
    <Story title="滚动加载" message={`第 ${page} 页`}>
      <InfiniteList label="很长的名单" more={page < pages} busy={false} onMore={() => setPage(page + 1)}>
        <ul>
          {Array.from({ length: page * pageSize }, (_, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows without identity
            <li key={index} className={styles.row}>
              第 {index + 1} 人
            </li>
          ))}
        </ul>
      </InfiniteList>
    </Story>
  )
}

const States = () => (
  <Story title="状态">
    <Steps at={1} />
    <div className="ui-row">
      <StatusDot salary="waiting" />
      <StatusDot salary="viewed" />
      <StatusDot salary="confirmed" />
      <StatusDot salary="failed" />
      <StatusDot salary="withdrawn" />
    </div>
    <Skeleton rows={2} />
    <EmptyState illustration="people" text="还没有员工，请先添加。" />
    <ErrorState error={new Error('网络错误，请刷新后重试…')} retry={() => undefined} />
  </Story>
)
