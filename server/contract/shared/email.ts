/** Validation of mail addresses. */
import * as z from 'zod/mini'

/** The syntax that commonly used mail servers accept: no comments, no quotes, no addresses in brackets. */
export const emailPattern = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z\d-]{2,63}$/i
export const email = z
  .string()
  .check(
    z.trim(),
    z.minLength(1, '请填写邮箱'),
    z.maxLength(200, '邮箱太长'),
    z.regex(emailPattern, '邮箱格式有误，应写作 name@example.com'),
  )
