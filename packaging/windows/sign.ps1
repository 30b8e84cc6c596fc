# Signs files with the certificate in $env:SIGN_PFX (base64) and $env:SIGN_PASSWORD; ends with an error when a signature does not hold.
$ErrorActionPreference = "Stop"
$certificate = Join-Path $env:RUNNER_TEMP "sign.pfx"
[IO.File]::WriteAllBytes($certificate, [Convert]::FromBase64String($env:SIGN_PFX))
try {
    $tool = Get-ChildItem "${env:ProgramFiles(x86)}\Windows Kits\10\bin\*\x64\signtool.exe" | Sort-Object FullName | Select-Object -Last 1
    foreach ($file in $args) {
        & $tool.FullName sign /f $certificate /p $env:SIGN_PASSWORD /fd sha256 /tr http://timestamp.digicert.com /td sha256 $file
        if ($LASTEXITCODE) { throw "signing $file failed" }
        & $tool.FullName verify /pa $file
        if ($LASTEXITCODE) { throw "the signature of $file does not hold" }
    }
} finally {
    Remove-Item $certificate
}
