;;; gpuc.el --- gpuc's language server for Eglot  -*- lexical-binding: t -*-

;; Load this file from your init file; `M-x eglot' starts the server.  Eglot is part of Emacs 29.

;;; Code:

(require 'eglot)

(defvar gpuc-flags []
  "How C files are compiled that no compile_commands.json has, a vector of strings.")

(define-derived-mode mlir-mode prog-mode "MLIR"
  "IR in MLIR's text."
  (setq-local comment-start "// "))

(define-derived-mode ptx-mode prog-mode "PTX"
  "PTX."
  (setq-local comment-start "// "))

(add-to-list 'auto-mode-alist '("\\.mlir\\'" . mlir-mode))
(add-to-list 'auto-mode-alist '("\\.ptx\\'" . ptx-mode))

(add-to-list 'eglot-server-programs
             `((c-mode c-ts-mode mlir-mode ptx-mode)
               . ("gpuc" "lsp" :initializationOptions (:flags ,gpuc-flags))))

(provide 'gpuc)
;;; gpuc.el ends here
