import { TreeSelect } from 'antd'

export type TreeNode = { ID: string; NAME: string; child: TreeNode[] }
const height = 400

/** `covers`: what is picked stands for all below it; they show as picked too, and only the highest are answered. */
type Common = { covers?: boolean; tree: readonly TreeNode[]; placeholder?: string; id?: string; disabled?: boolean }
type One = Common & { multiple?: false; value?: string | undefined; onChange?: (id: string | undefined) => void }
type Many = Common & { multiple: true; value?: string[]; onChange?: (ids: string[]) => void }

/** Picks departments: all open by default, at most 400 px high, searched by name. Fits as it is into a Form.Item. */
export function TreePicker({ tree, placeholder = '选择部门', value, onChange, ...more }: One | Many) {
  const { multiple = false, covers = false, ...rest } = more
  return (
    <TreeSelect
      {...rest}
      value={(value ?? (multiple ? [] : undefined)) as never}
      onChange={(next: unknown) => (onChange as ((value: unknown) => void) | undefined)?.(next)}
      treeData={tree as TreeNode[]}
      fieldNames={{ label: 'NAME', value: 'ID', children: 'child' }}
      multiple={multiple}
      {...(covers ? { treeCheckable: true, showCheckedStrategy: TreeSelect.SHOW_PARENT } : {})}
      placeholder={placeholder}
      // In a form the label names it; alone, its placeholder does.
      {...(rest.id ? {} : { 'aria-label': placeholder })}
      listHeight={height}
      styles={{ popup: { root: { maxHeight: height, overflow: 'auto' } } }}
      treeDefaultExpandAll
      allowClear
      showSearch={{ treeNodeFilterProp: 'NAME' }}
      style={{ width: '100%' }}
    />
  )
}
